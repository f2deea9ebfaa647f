# SPDX-License-Identifier: Apache-2.0
# For serve_test.sh. What is wrong is said in a line each; exit status 1.
#   rows FILE...: what counters --watch --format csv printed, of packets of 16 flits
#   runs ALONE WITH: JSON of run
#   rogues SOCKET: guests that are slow, dead or send nonsense, until it is killed
#   ending SOCKET: as a serve that is about to end: lets three guests in and closes them
import csv, json, os, select, socket, struct, sys, time, zlib

wrong = []


def rows(path):
    with open(path) as f:
        table = [row for row in csv.DictReader(f) if row["at"] != "at"]
    values, last, checked = {}, {}, 0
    for row in table:
        if "high_water" in row["counter"]:
            continue
        key, before, after = (row["at"], row["counter"]), int(row["before"]), int(row["after"])
        # One interval begins where the one before ended, and counters go up.
        if key in last and before < last[key] or after - before != int(row["change"]) or after < before:
            wrong.append("%s: %s" % (path, row))
        last[key] = after
        values[key] = (before, after)
        if key[1].endswith("adaptive.packets"):
            flits = values.get((key[0], key[1].replace("packets", "flits")))
            # Of one instant: packets of 16 flits, at most one of them on its way, at either end.
            if flits is None:
                continue
            for i, when in enumerate(("before", "after")):
                checked += 1
                if abs(flits[i] - 16 * values[key][i]) > 16:
                    wrong.append("%s: torn, %s: %s" % (path, when, row))
    if checked < 100:
        wrong.append("%s: only %d rows to be checked" % (path, checked))


def runs(alone, with_others):
    with open(alone) as f:
        one = json.load(f)["runs"][0]
    with open(with_others) as f:
        many = json.load(f)["runs"]
    for r in many:
        if r["errors"] or r["sent"] != r["received"] or r["sent"] != one["sent"]:
            wrong.append("packets: %s" % r)
        if abs(r["accepted"] - one["accepted"]) > 0.01 * one["accepted"]:
            wrong.append("accepted: %s" % r)
        # Nothing of theirs is counted in it.
        for what in "hops", "link_use":
            if abs(r[what] - one[what]) > 0.01 * one[what]:
                wrong.append("%s: %s, alone %s" % (what, r[what], one[what]))
        # The watchers' own packets are on the links, too.
        if not one["mean"] * 0.95 < r["mean"] < one["mean"] * 1.25:
            wrong.append("mean lifetime: %s, alone %s" % (r["mean"], one["mean"]))


def frame(op, number, d3, mode=0):
    words = [0xA5 | mode << 8 | 5 << 12, op | 99 << 16, number, 0, 0, 0, d3]
    data = struct.pack("<7I", *words)
    return data + struct.pack("<I", zlib.crc32(data))


def rogues(path):
    def guest():
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        s.setblocking(False)
        return s

    silent, half, noise, deaf, same, gone, slow = [guest() for _ in range(7)]
    print("all here", flush=True)
    half.send(frame(1, 1, 0)[:20])
    number = 0
    end = time.monotonic() + 280
    while time.monotonic() < end:
        number = number % 60000 + 1
        for s, data in (
            (noise, os.urandom(4096)),
            (noise, b"\xa5" * 1000),
            (deaf, frame(2, number, 0)),  # and never reads
            (same, frame(1, 1, 0)),  # over and over
            (slow, frame(1, number, 0)[number % 8:][:5]),
        ):
            try:
                s.send(data)
            except BlockingIOError:
                pass
        gone.setblocking(True)
        gone.send(frame(1, number, 0))
        gone.close()  # before its answer
        gone = guest()
        select.select([same], [], [], 0.002)
        try:
            same.recv(4096)
        except BlockingIOError:
            pass


def ending(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(120)
    listener.bind(path)
    listener.listen()
    print("listens", flush=True)
    for _ in range(3):
        listener.accept()[0].close()
    os.unlink(path)


what, *rest = sys.argv[1:]
if what == "rows":
    for path in rest:
        rows(path)
elif what == "runs":
    runs(*rest)
elif what == "ending":
    ending(*rest)
else:
    rogues(*rest)
for line in wrong[:10]:
    print("# " + line)
sys.exit(bool(wrong))
