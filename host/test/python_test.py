# SPDX-License-Identifier: Apache-2.0
"""The Python module on boards at argv[1], 2x2 with channels; "layout": numbers, the structures'
sizes and offsets, as python_layout prints them; "readme": the module's README, typed on boards at argv[2], as far as programs;
"programs": on boards at argv[2], 2x1, programmed, of
which (1, 0) has a user core and (0, 0) none. Prints what is wrong, exit status 1."""

import contextlib
import ctypes
import doctest
import io
import os
import signal
import struct
import sys
import threading
import time

import outflank


def layout():
    for name, number in outflank.NUMBERS.items():
        print(name, number)
    for name, struct in outflank.LAYOUTS.items():
        print(name, ctypes.sizeof(struct))
        for field, _ in struct._fields_:
            print(f"{name}.{field}", getattr(struct, field).offset)


def fails(error, words, call, *arguments):
    try:
        call(*arguments)
    except error as e:
        assert words in str(e), f"{words!r} is not in {e!r}"
    else:
        raise AssertionError(f"no error: {call} {arguments}")


def boards(t):
    assert t.sizes == ()
    # Numbers that do not fit are refused, not cut
    for cut in ({"threshold": 260}, {"threshold": -1}, {"delta": 257}, {"tie_both": "no"}):
        fails(ValueError, "is no whole number", lambda: t.program("ofr", **cut))
    fails(ValueError, "value: 4294967299", t.write, (1, 0), 0x700, 2**32 + 3)
    fails(ValueError, "value: 5.5", t.write, (1, 0), 0x700, 5.5)
    fails(ValueError, "offset: -4", t.read, (1, 0), -4)
    found = t.discover(assign=True)
    assert t.sizes == (2, 2) and len(found) == 4 and not t.faults()
    assert sorted(b.at for b in found) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    fails(ValueError, "no routing", t.program, "north")
    t.program("abr")
    t.program("ofr", threshold=3)
    t.write((1, 1), 0x20, 12345)  # NODE.SEED
    assert t.read((1, 0), 0) == 0x4F465247  # NODE.ID
    assert t.read((1, 1), 0x20) == 12345
    fails(outflank.Error, "outside of the torus", t.read, (2, 0), 0)
    fails(ValueError, "no place", t.read, (16, 0), 0)
    fails(ValueError, "no place", t.read, (1,), 0)
    for wrong in (None, 5, b"ofr"):
        fails(TypeError, "text is wanted", t.program, wrong)
        fails(TypeError, "text is wanted", outflank.Torus, wrong)
    fails(ValueError, "zero byte", outflank.Torus, "unix:/tmp/a\0b")


def channels(t):
    before = t.counters()
    assert set(before) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    a, b = t.join(((0, 0), 1), ((1, 1), 7))
    assert a.state()["state"] == "open" and a.state()["peer"] == ((1, 1, 0), 7)
    with t.lease():
        for size in list(range(36)) + [200]:
            data = bytes((7 * i + size) & 255 for i in range(size))
            a.send(data)
            assert b.receive() == data, size
        data = bytes((i * i >> 3) & 255 for i in range(3000))  # more than there is room for
        try:
            a.send(data, 0)
        except outflank.Timeout as late:
            begun = data[: late.sent]
        fails(outflank.Timeout, "", b.receive, 0)
        a.send(b"end")
        assert b.receive() == begun + b"end"  # with what had come before
        assert outflank.move(b, a, data) == data
        fails(outflank.Timeout, "", a.receive, 0)
        fails(outflank.Timeout, "", a.receive, float("nan"))
        for wrong in (5, "text", None, 1.5):  # bytes(5) would be five zeros
            fails(TypeError, "bytes are wanted", a.send, wrong)
            fails(TypeError, "bytes are wanted", outflank.move, a, b, wrong)
        try:
            a.send(data, 0)
            raise AssertionError("no end of room")
        except outflank.Timeout as late:
            assert 0 < late.sent < len(data)
            rest = data[late.sent :]
        assert outflank.move(a, b, rest) == data  # the message goes on
        moves(a, b, data)
        interrupted(b.receive, 20)
        a.send(b"after")
        assert b.receive() == b"after"
        interrupted(a.send, data, 20)
        a.abort()
        b.abort()
    a, b = t.join(((0, 0), 1), ((1, 1), 7))
    sent = t.counters()[0, 0]["injected"] - before[0, 0]["injected"]
    assert sent > 100, sent
    fails(outflank.Error, "busy", t.join, ((0, 1), 0), ((1, 1), 7))
    a.close()
    assert b.receive() is None
    assert b.state()["reason"] == "closed"
    fails(outflank.Error, "is closed", b.send, b"x")
    b.release()
    assert not b.state()["software"] and a.state()["software"]
    a, b = t.join(((0, 0), 1), ((1, 1), 7), pins=(True, True))
    assert a.state()["open"] and not a.state()["software"]
    fails(outflank.Error, "its pins'", a.send, b"x")
    b.close()
    fails(outflank.Error, "ends 0 to 7", t.join, ((0, 0), 8), ((1, 1), 7))
    fails(ValueError, "no end", t.end, (0, 0), 16)


def moves(a, b, data):
    """What move() says of where it was cut short, and what it leaves alone."""
    a.send(b"one")
    a.send(b"")
    assert outflank.move(a, b, data) == data  # behind them
    assert outflank.move(a, b, b"o") == b"o"
    assert [b.receive(0), b.receive(0)] == [b"one", b""]
    assert outflank.move(a, b, b"") == b""
    sent = a.state()["sent"]
    fails(ValueError, "nothing was sent", outflank.move, a, a, data, 1)
    fails(ValueError, "end 1 is joined with (1,1) end 7, not", outflank.move, a, End(b, 6), b"x")
    fails(TypeError, "an End is wanted", outflank.move, a, None, b"x")
    fails(TypeError, "seconds: None", outflank.move, a, b, b"x", None)
    assert a.state()["sent"] == sent
    took, b.receive = b.receive, lambda seconds: time.sleep(0.01) or took("not now")
    fails(TypeError, "'not now'", outflank.move, a, b, b"x")
    b.receive = late
    try:
        outflank.move(a, b, b"xy", 0)
        raise AssertionError("nobody took it")
    except outflank.Timeout as e:
        assert (e.sent, str(e)) == (2, "2 of 2 bytes sent; no more for 0 s"), e
    b.receive = took
    assert [b.receive(), b.receive()] == [b"x", b"xy"]


def late(_):
    raise outflank.Timeout("no answer", "")


def interrupted(call, *arguments):
    """Ctrl-C ends it, soon."""
    began = time.monotonic()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        raise AssertionError(f"no interrupt: {call(*arguments)!r}")
    except KeyboardInterrupt:
        took = time.monotonic() - began
    assert took < 15, f"{call}: {took} s"


def End(like, end):
    return outflank.End(like._torus, tuple(like._end.at), end)


def cut(t):
    """A channel that its receiver closes, inside of a message."""
    a, b = t.join(((0, 0), 1), ((1, 1), 7))
    a.send(b"whole")
    try:
        a.send(bytes(3000), 0)
    except outflank.Timeout as late:
        sent = late.sent
    fails(outflank.Error, "inside a message", a.close)
    b.close()
    assert b.receive() == b"whole"
    try:
        raise AssertionError(f"no error: {b.receive()!r}")
    except outflank.Cut as e:
        came = len(e.part)  # not more than went
        assert 0 < came <= sent and e.part == bytes(came), (came, sent)
        assert "(1,1) end 7" in str(e) and f"{came} bytes" in str(e), e
    assert b.receive() is None
    a.abort()
    b.abort()


def refused(t):
    """Arguments that cannot be: an error that names them, nothing sent."""
    place = "coordinates are 2 or 3 numbers"
    for at in (None, 0, "00", "0,0", (0.5, 0), ("0", "0"), (1, 2, 3, 4), [], {}):
        fails(ValueError, place, t.read, at, 0)
        fails(ValueError, place, t.datagrams, at)
        fails(ValueError, place, t.end, at, 1)
        fails(ValueError, place, t.programs, [at])
    for end in (None, "1", 1.0, -1, 16):
        fails(ValueError, f"no end: {end!r}; they are", t.end, (0, 0), end)
        fails(ValueError, "end: ", t.group, None, end)
    for pair in (None, 5, (0, 0, 1), "end"):
        fails(ValueError, "it is a place and a number", t.join, pair, ((1, 1), 7))
    fails(ValueError, "no place: 0", t.join, (0, 0), (1, 1))
    fails(TypeError, "pins: True", t.join, ((0, 0), 1), ((1, 1), 7), 1, True)
    fails(ValueError, "pins: ", t.join, ((0, 0), 1), ((1, 1), 7), 1, (True,))
    end = t.end((0, 0), 1)
    for seconds in (None, "1", b"1", [1], 1j):
        said = f"seconds: {seconds!r} is no number"
        fails(TypeError, said, end.send, b"x", seconds)
        fails(TypeError, said, end.receive, seconds)
        fails(TypeError, said, end.close, seconds)
        fails(TypeError, said, t.join, ((0, 0), 1), ((1, 1), 7), seconds)
        fails(TypeError, said, t.group, None, 0, None, False, seconds)
        fails(TypeError, said, t.tree, None, 0, False, True, seconds)
        fails(TypeError, said, t.lease(seconds).__enter__)
    for places in (5, True):
        fails(TypeError, "places: ", t.group, places)
        fails(TypeError, "places: ", t.programs, places)
        fails(TypeError, "places: ", t.clear_trees, places)
    for acts in ([4], [-1], ["0"]):
        fails(ValueError, "acts: a member: ", t.group, None, 0, acts)
    fails(TypeError, "acts: 0", t.group, None, 0, 0)
    for root in (4, -1, None, "0"):
        fails(ValueError, "root: ", t.tree, None, root)
    for data in (["a"], "abc", None):
        fails(TypeError, "bytes are wanted", end.send, data)
    fails(ValueError, "bytes must be 0 to 255", end.send, [300])
    fails(ValueError, "there are abr", t.program, "north")
    with t.group() as g:
        for values in (None, [[1]] * 4, {0: [1]}, 5):
            fails(ValueError, "as {member: data}", g.all_reduce, "sum", values)
        fails(TypeError, "member 0: 7", g.all_reduce, "sum", {m: 7 for m in range(4)})
        fails(ValueError, "a value: 1.5", g.all_reduce, "sum", {m: [1.5] for m in range(4)})
        fails(ValueError, "no reduction: []; sum", g.all_reduce, [], {m: [1] for m in range(4)})
        fails(TypeError, "bytes are wanted", g.broadcast, 0, "abc")
        fails(TypeError, "data: None", g.scatter, 0, None)
        fails(ValueError, "4 times as many", g.scatter, 0, [b"a"])
        fails(ValueError, "as {member: data}", g.gather, 0, [b"a"] * 4)
        assert g.gather(0, {m: [m] for m in range(4)}) == [bytes([m]) for m in range(4)]
    g = t.group(acts=[1, 2, 3])  # found wrong before anybody waits for 0
    fails(ValueError, "length: who does not act", g.broadcast, 0, None)
    fails(ValueError, "length: -1", g.scatter, 0, None, -1)
    for place in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for end in range(3):
            t.end(place, end).abort()
    fails(outflank.Error, "aborted", g.close)
    with t.tree() as g:
        fails(TypeError, "words: 5", g.broadcast, 5)
        for values in ({m: [1] for m in range(4)}, [[1]] * 3, [[1], [2, 3], [1], [1]]):
            fails(ValueError, "4 members each give", g.all_reduce, "sum", values)
        fails(TypeError, "member 0: 1", g.all_reduce, "sum", [1, 2, 3, 4])


def unopened(where):
    for name, value in (("timeout", "a"), ("timeout", None), ("retry", b"1")):
        fails(TypeError, f"{name}: ", lambda: outflank.Torus(where, **{name: value}))
    for times in ({"timeout": -1}, {"retry": float("nan")}, {"timeout": float("inf")}):
        fails(ValueError, "seconds from 0 on", lambda: outflank.Torus(where, **times))
    for key in (-1, 1 << 64, "ab", None):  # cut, it would be another key
        fails(ValueError, "key: ", lambda: outflank.Torus(where, key=key))
    fails(TypeError, "library: 5", lambda: outflank.Torus(where, library=5))
    fails(OSError, "no libtorus", lambda: outflank.Torus(where, library="libc.so.6"))


def closed(t, used):
    """What is used after its Torus was closed says so, and the library is not asked."""
    for call in (t.boards, t.discover, t.counters, t.program, t.group, t.tree, t.programs):
        fails(ValueError, "the connection is closed", call)
    for call in used:
        fails(ValueError, "the connection is closed", call)
    t.close()


def groups(t):
    with t.group() as g:
        g.barrier()
        assert g.broadcast(2, b"hello") == {m: b"hello" for m in range(4)}
        words = {m: [m, 100 - m, -m] for m in range(4)}
        assert g.reduce(1, "min", words) == [0, 97, -3]
        assert g.all_reduce("sum", words) == {m: [6, 394, -6] for m in range(4)}
        blocks = [bytes([m, 3 * m, 7]) for m in range(4)]
        assert g.scatter(3, blocks) == dict(enumerate(blocks))
        assert g.gather(2, dict(enumerate(blocks))) == blocks
        fails(outflank.Error, "busy", t.group, [(0, 0), (1, 1)])
        for root in (4, -1, 1 << 32, None, "0"):
            fails(ValueError, "root: ", g.broadcast, root, b"x", 1)
        fails(ValueError, "each give", g.all_reduce, "or", {0: [1]})
        for wrong in (1 << 31, -(1 << 31) - 1, 1 << 40):  # not cut short
            fails(ValueError, "a value: ", g.all_reduce, "sum", {m: [wrong] for m in range(4)})
        fails(ValueError, "must be 0 to 255", g.broadcast, 2, [300])
        fails(ValueError, "no reduction", g.all_reduce, "xor", words)
        with t.group([(1, 1), (0, 0)], end=3) as two:
            assert two.all_reduce("or", {0: [1], 1: [2]}) == {0: [3], 1: [3]}
    fails(ValueError, "closed", g.barrier)


def trees(t):
    words = [[m, -m, 7] for m in range(4)]
    with t.tree(root=3) as g:
        g.barrier()
        assert g.place(3) == outflank.TreePlace(None, 0, 0)
        for member in (-1, 7):
            fails(ValueError, "from 0 to 3", g.place, member)
        assert all(g.place(m).parent is not None for m in range(3))
        assert g.all_reduce("sum", words) == [[6, -6, 28]] * 4
        assert g.all_reduce("min", words) == [[0, -3, 7]] * 4
        assert g.reduce("max", words) == [3, 0, 7]
        assert g.broadcast([5, -6]) == [[5, -6]] * 4
        assert g.scatter(words) == words
        assert g.gather(words) == words
        assert g.gather([[]] * 4) == [[]] * 4
        fails(ValueError, "a value: ", g.broadcast, [1 << 31])
        fails(outflank.Error, "in a group", t.tree, [(0, 0), (1, 1)])
        fails(ValueError, "each give", g.all_reduce, "or", words[:3])
    fails(ValueError, "closed", g.barrier)
    with t.tree([(1, 1), (0, 0)], chain=True) as two:
        assert two.all_reduce("max", [[1, 9], [2, 3]]) == [[2, 9]] * 2
    g = t.tree([(1, 0), (0, 0)], software=False)
    fails(outflank.Error, "logic at the boards' pins", g.barrier)
    g.keep()
    t.clear_trees([(1, 0), (0, 0)])


def datagrams(t):
    with t.datagrams((0, 1)) as a, t.datagrams((1, 0)) as b:
        fails(ValueError, "end: 259", a.send, (1, 0), b"x", 259)
        for traffic in ("inorder", "minimal", "deroute"):
            for size in (0, 1, 5, a.most):
                data = bytes((7 * i + size) & 255 for i in range(size))
                a.send((1, 0), data, end=size % 16, traffic=traffic)
                assert b.receive() == (data, (0, 1), size % 16), size
        fails(outflank.Timeout, "no datagram", b.receive, 0)
        fails(outflank.Timeout, "no datagram", b.receive, 0.6)
        interrupted(b.receive, 20)
        fails(outflank.Timeout, "no datagram", b.receive, float("nan"))
        fails(TypeError, "bytes are wanted", a.send, (1, 0), 5)
        fails(outflank.Error, "at most", a.send, (1, 0), bytes(a.most + 1))
        fails(ValueError, "no class", a.send, (1, 0), b"x", 0, "north")
    fails(outflank.Error, "logic's at its pins", a.send, (1, 0), b"x")


def readme(where):
    """What is typed there gives what is shown there."""
    with open("host/python/README.md") as f:
        examples = doctest.DocTestParser().get_examples(f.read())
    names, typed = {}, 0
    for e in examples:
        if "programs(" in e.source:
            break
        text = e.source.replace("unix:/tmp/boards/board0.sock", where)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, "README", "single"), names)
        if e.want and e.want != out.getvalue():
            sys.exit(f"not so: {e.source}{e.want}but {out.getvalue()}")
        typed += 1
    if typed < 8:
        sys.exit(f"not so: {typed} commands are there")


# A letter: argument 0 goes from end 0, what comes at end 1 is printed, and the exit code.
LETTER = struct.pack(
    "<20I",
    0x0200006F, 0, 0, 0, 0, 0, 0, 0,  # a jump over the place
    0x600010B7, 0x00400113, 0x0020A223, 0x00C02103, 0x0020A623, 0x0300A103,
    0xFE010EE3, 0x0380A103, 0x0200AE23, 0x600000B7, 0x0020A423, 0x0020A623,
)  # fmt: skip


def ended(on, at):
    until = time.monotonic() + 60
    while on.state(at)["running"]:
        assert time.monotonic() < until, "it does not end"
    return on.state(at)


def programs(t):
    at = (1, 0)
    on = t.programs([at])
    fails(outflank.Error, "without a user's core", t.programs().load, LETTER)
    fails(outflank.Error, "no program", on.load, LETTER[4:])
    fails(TypeError, "bytes are wanted", on.load, 5)
    fails(ValueError, "None means all", t.programs, [])
    on.load(LETTER)
    assert on.state(at)["state"] == "held" and on.state(at)["memory"] == 16384
    assert on.memory(at, 0x21, 10) == LETTER[0x21:0x2B]
    fails(outflank.Error, "ends 0 to 3", on.join, (at, 0), (at, 4))
    on.join((at, 0), (at, 1))
    fails(ValueError, "four words", on.start, 1, 2, 3, 4, 5)
    for word in (1 << 32, -1, 1.5, "a", None):
        fails(ValueError, "a word: ", on.start, word)
    for size in (-1, None, 16385, 1 << 40):
        fails(ValueError, "from 0 to 16384", on.memory, at, 0, size)
    on.start(65, 7)
    user = ended(on, at)
    assert (user["state"], user["code"], user["ended"]) == ("ended", 65, True), user
    assert on.console(at) == b"A" and on.console(at) == b""
    fails(outflank.Error, "torus_user_stop", on.memory, at, 0, 4)
    on.stop()
    assert on.memory(at, 4, 16) == struct.pack("<4I", 0, 1, 65, 7)
    fails(outflank.Error, "without a user's core", on.state, (0, 0))
    # What it sends comes here, and what it waits for is sent from here.
    on.load(LETTER)
    _, here = t.join((at, 0), ((0, 0), 5), pins=(True, False))
    back, _ = t.join(((0, 0), 6), (at, 1), pins=(False, True))
    on.start(66)
    assert here.receive() == b"B\0\0\0"
    back.send(b"C\0\0\0")
    assert ended(on, at)["code"] == 67 and on.console(at) == b"C"
    here.close()
    here.release()
    assert not here.state()["software"] and back.state()["software"]


if sys.argv[1] == "layout":
    layout()
elif sys.argv[1] == "readme":
    readme(sys.argv[2])
elif sys.argv[1] == "programs":
    try:
        with outflank.Torus(sys.argv[2], timeout=60) as torus:
            torus.attach()
            programs(torus)
    except (AssertionError, outflank.Error) as wrong:
        sys.exit(f"not so: {wrong!r}")
else:
    try:
        fails(outflank.Error, "", outflank.Torus, "unix:/nobody/is/here")
        unopened(sys.argv[1])
        with outflank.Torus(sys.argv[1], timeout=60) as torus:
            boards(torus)
            channels(torus)
            groups(torus)
            trees(torus)
            datagrams(torus)
            cut(torus)
            refused(torus)
            group, tree = torus.group([(0, 0), (1, 1)]), torus.tree([(0, 1), (1, 0)])
            end, on = torus.end((0, 0), 0), torus.programs()
            packets = torus.datagrams((0, 0))
        used = [group.barrier, group.close, tree.barrier, tree.close, end.receive, end.state]
        closed(torus, used + [on.stop, packets.receive, packets.close])
        assert str(end) == "(0,0,0) end 0"
    except (AssertionError, outflank.Error) as wrong:
        sys.exit(f"not so: {wrong!r}")
