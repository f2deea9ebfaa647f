# SPDX-License-Identifier: Apache-2.0
"""A torus of boards from Python: discover, program, counters, registers, channels, groups,
collectives in hardware, datagrams, users' programs.

    import outflank
    with outflank.Torus("unix:/tmp/boards/board0.sock") as torus:
        torus.discover(assign=True)
        torus.program("ofr")
        a, b = torus.join(((0, 0), 1), ((1, 0), 2))
        a.send(b"hello")
        print(b.receive())                       # b'hello'
        a.close()
        print(torus.counters()[0, 0]["injected"])

ctypes over libtorus, nothing else. The library is found by its name, or is the file that the
argument `library` or the environment's OUTFLANK_LIBRARY names. Its manual is libtorus.h, which says
of each call what it needs and how it fails; here a failure is an Error with the library's one line.
An argument that cannot be is a ValueError or a TypeError that names it, with nothing sent.
Places are (x, y) or (x, y, z). One thread at a time may use a Torus.
"""

import contextlib
import ctypes
import ctypes.util
import operator
import os
import time
from collections import namedtuple

_Port = ctypes.c_uint8 * 3


class Options(ctypes.Structure):
    """struct torus_options; only the first ones, the key and what is taken over are set here."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("timeout", ctypes.c_double),
        ("retry", ctypes.c_double),
        ("window", ctypes.c_uint),
        ("session", ctypes.c_uint16),
        ("key", ctypes.c_uint64),
        ("token", ctypes.c_uint32),
        ("take_over", ctypes.c_bool),
        ("label", ctypes.c_char_p),
        ("baud", ctypes.c_uint),
        ("cancelled", ctypes.c_void_p),
        ("frame", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("ctx", ctypes.c_void_p),
    ]


class _Board(ctypes.Structure):
    _fields_ = [
        ("serial", ctypes.c_uint64),
        ("dims", ctypes.c_uint8),
        ("links", ctypes.c_uint8),
        ("configured", ctypes.c_bool),
        ("placed", ctypes.c_bool),
        ("at", _Port),
        ("hops", ctypes.c_uint8),
        ("path", ctypes.c_uint8 * 24),
        ("peer", ctypes.c_int * 6),
        ("peer_port", ctypes.c_int8 * 6),
    ]


class _Preset(ctypes.Structure):
    _fields_ = [
        ("routing", ctypes.c_uint),
        ("tie_both", ctypes.c_bool),
        ("threshold", ctypes.c_uint8),
        ("delta", ctypes.c_uint8),
    ]


class _End(ctypes.Structure):
    _fields_ = [("at", _Port), ("end", ctypes.c_uint8)]


class _GroupOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("end", ctypes.c_uint),
        ("acts", ctypes.POINTER(ctypes.c_bool)),
        ("join", ctypes.c_bool),
        ("seconds", ctypes.c_double),
    ]


class _Channel(ctypes.Structure):
    _fields_ = [
        ("state", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("peer", _End),
        ("open", ctypes.c_bool),
        ("free", ctypes.c_bool),
        ("software", ctypes.c_bool),
        ("waits", ctypes.c_bool),
        ("sent", ctypes.c_uint32),
        ("received", ctypes.c_uint32),
        ("heard", ctypes.c_uint32),
        ("collective", ctypes.c_bool),
    ]


class _User(ctypes.Structure):
    _fields_ = [
        ("state", ctypes.c_char_p),
        ("cause", ctypes.c_char_p),
        ("ends", ctypes.c_uint),
        ("memory", ctypes.c_size_t),
        ("running", ctypes.c_bool),
        ("ended", ctypes.c_bool),
        ("code", ctypes.c_uint8),
        ("pc", ctypes.c_uint32),
        ("address", ctypes.c_uint32),
        ("lost", ctypes.c_uint),
    ]


class _TreeOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("root", ctypes.c_uint),
        ("shape", ctypes.c_uint),
        ("software", ctypes.c_bool),
        ("seconds", ctypes.c_double),
    ]


class _TreePlace(ctypes.Structure):
    _fields_ = [("parent", ctypes.c_int), ("depth", ctypes.c_uint), ("order", ctypes.c_uint)]


# What must agree with libtorus.h: its test compares.
NUMBERS = {
    "TORUS_E_TIMEOUT": 3,
    "TORUS_COUNTERS": 129,
    "TORUS_SUM": 0,
    "TORUS_MIN": 1,
    "TORUS_MAX": 2,
    "TORUS_OR": 3,
    "TORUS_TREE": 0,
    "TORUS_CHAIN": 1,
    "TORUS_INORDER": 0,
    "TORUS_MINIMAL": 1,
    "TORUS_DEROUTE": 2,
}
LAYOUTS = {
    "torus_options": Options,
    "torus_board": _Board,
    "torus_preset": _Preset,
    "torus_end": _End,
    "torus_channel": _Channel,
    "torus_group_options": _GroupOptions,
    "torus_tree_options": _TreeOptions,
    "torus_tree_place": _TreePlace,
    "torus_user": _User,
}

_each_fn = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.POINTER(ctypes.c_uint64)
)
_t, _size, _double = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
_places, _ends, _out = ctypes.POINTER(ctypes.c_uint8), ctypes.POINTER(_End), ctypes.c_void_p

# Name: result and arguments.
_calls = {
    "torus_options_init": (None, _out, _size),
    "torus_open": (ctypes.c_int, _out, ctypes.c_char_p, _out),
    "torus_close": (None, _t),
    "torus_detail": (ctypes.c_char_p, _t),
    "torus_strerror": (ctypes.c_char_p, ctypes.c_int),
    "torus_discover": (ctypes.c_int, _t),
    "torus_assign": (ctypes.c_int, _t),
    "torus_attach": (ctypes.c_int, _t),
    "torus_boards": (ctypes.c_uint, _t),
    "torus_board": (ctypes.POINTER(_Board), _t, ctypes.c_uint),
    "torus_sizes": (ctypes.c_uint, _t, _places),
    "torus_fault": (ctypes.c_char_p, _t, ctypes.c_uint),
    "torus_routing_named": (ctypes.c_int, ctypes.c_char_p),
    "torus_preset_default": (_Preset, ctypes.c_int),
    "torus_program": (ctypes.c_int, _t, _out),
    "torus_lease": (ctypes.c_int, _t, _double),
    "torus_release": (ctypes.c_int, _t),
    "torus_read": (ctypes.c_int, _t, _places, ctypes.c_uint, _out),
    "torus_write": (ctypes.c_int, _t, _places, ctypes.c_uint, ctypes.c_uint32),
    "torus_counters": (ctypes.c_int, _t, _each_fn, _t),
    "torus_counter_name": (ctypes.c_bool, ctypes.c_uint, ctypes.c_uint, ctypes.c_char_p),
    "torus_counter_built": (ctypes.c_bool, _t, ctypes.c_uint),
    "torus_channel_join": (
        ctypes.c_int,
        _t,
        _ends,
        ctypes.c_int,
        _ends,
        ctypes.c_int,
        _double,
    ),
    "torus_channel_release": (ctypes.c_int, _t, _ends),
    "torus_channel_send": (ctypes.c_int, _t, _ends, ctypes.c_char_p, _size, _double, _out),
    "torus_channel_recv": (ctypes.c_int, _t, _ends, _out, _size, _double, _out, _out),
    "torus_channel_close": (ctypes.c_int, _t, _ends, _double),
    "torus_channel_abort": (ctypes.c_int, _t, _ends),
    "torus_channel_state": (ctypes.c_int, _t, _ends, _out),
    "torus_group_options_init": (None, _out, _size),
    "torus_group_open": (ctypes.c_int, _out, _t, _out, _out, ctypes.c_uint),
    "torus_group_close": (ctypes.c_int, _t),
    "torus_barrier": (ctypes.c_int, _t),
    "torus_broadcast": (ctypes.c_int, _t, ctypes.c_uint, _out, _size),
    "torus_reduce": (ctypes.c_int, _t, ctypes.c_uint, ctypes.c_uint, _out, _out, _size),
    "torus_all_reduce": (ctypes.c_int, _t, ctypes.c_uint, _out, _size),
    "torus_scatter": (ctypes.c_int, _t, ctypes.c_uint, _out, _out, _size),
    "torus_gather": (ctypes.c_int, _t, ctypes.c_uint, _out, _out, _size),
    "torus_tree_options_init": (None, _out, _size),
    "torus_tree_open": (ctypes.c_int, _out, _t, _out, _out, ctypes.c_uint),
    "torus_tree_keep": (None, _t),
    "torus_tree_close": (ctypes.c_int, _t),
    "torus_tree_clear": (ctypes.c_int, _t, _out, ctypes.c_uint),
    "torus_tree_place": (_TreePlace, _t, ctypes.c_uint),
    "torus_tree_barrier": (ctypes.c_int, _t),
    "torus_tree_broadcast": (ctypes.c_int, _t, _out, _size),
    "torus_tree_scatter": (ctypes.c_int, _t, _out, _out, _size),
    "torus_tree_gather": (ctypes.c_int, _t, _out, _out, _size),
    "torus_tree_reduce": (ctypes.c_int, _t, ctypes.c_uint, _out, _out, _size),
    "torus_tree_all_reduce": (ctypes.c_int, _t, ctypes.c_uint, _out, _size),
    "torus_datagram_attach": (ctypes.c_int, _t, _places, ctypes.c_bool),
    "torus_datagram_most": (_size, _t),
    "torus_datagram_send": (
        ctypes.c_int, _t, _places, _ends, ctypes.c_uint, ctypes.c_char_p, _size, _double,
    ),
    "torus_datagram_recv": (ctypes.c_int, _t, _places, _out, _size, _double, _out, _ends),
    "torus_user_load": (ctypes.c_int, _t, _out, ctypes.c_uint, ctypes.c_char_p, _size),
    "torus_user_start": (ctypes.c_int, _t, _out, ctypes.c_uint, _out),
    "torus_user_stop": (ctypes.c_int, _t, _out, ctypes.c_uint),
    "torus_user_join": (ctypes.c_int, _t, _ends, _ends, _double),
    "torus_user_state": (ctypes.c_int, _t, _places, _out),
    "torus_user_console": (ctypes.c_int, _t, _places, _out, _size, _out),
    "torus_user_memory": (ctypes.c_int, _t, _places, ctypes.c_uint32, _out, _size),
}

_ROOM = 65536
_PIECE = 0.25  # seconds

Board = namedtuple("Board", "serial at links configured hops")
TreePlace = namedtuple("TreePlace", "parent depth order")
Datagram = namedtuple("Datagram", "data source end")


class Error(Exception):
    """A call failed. kind: as libtorus names it; str(): its one line of what, where, what to do."""

    def __init__(self, kind, detail):
        super().__init__(detail or kind)
        self.kind = kind


class Timeout(Error):
    """Nothing came, or there was no more room, in time. sent: bytes of a message that went."""

    sent = 0


class Cut(Error):
    """The channel ended inside of a message. part: what had come of it."""

    def __init__(self, detail, part):
        super().__init__("closed", detail)
        self.part = part


def load(library=None):
    """libtorus, its functions declared. library: its file."""
    name = library or os.environ.get("OUTFLANK_LIBRARY") or ctypes.util.find_library("torus")
    if not name:
        raise OSError("libtorus is not installed; name its file in OUTFLANK_LIBRARY")
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"library: {name!r:.40} is no file's name")
    lib = ctypes.CDLL(os.fspath(name))
    for call, (result, *arguments) in _calls.items():
        function = getattr(lib, call, None)
        if not function:
            raise OSError(f"{name}: no libtorus of this version: it has no {call}()")
        function.restype, function.argtypes = result, arguments
    return lib


def _text(value):
    """As the library wants it."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r}: text is wanted")
    if "\0" in value:
        raise ValueError(f"{value!r}: there is a zero byte in it")
    return value.encode()


def _bytes(data):
    """A message's, of anything that has bytes; a number has none, for all that bytes() says."""
    try:
        return bytes(memoryview(data)) if not isinstance(data, (list, tuple)) else bytes(data)
    except TypeError:
        raise TypeError(f"{data!r:.40}: bytes are wanted, b'...' or text.encode()") from None
    except ValueError:
        raise ValueError(f"{data!r:.40}: bytes must be 0 to 255") from None


def _whole(name, value, most, least=0):
    # ctypes cuts a number to fit
    with contextlib.suppress(TypeError):
        if least <= operator.index(value) <= most:
            return operator.index(value)
    raise ValueError(f"{name}: {value!r:.40} is no whole number from {least} to {most}")


def _seconds(name, value):
    """Below 0 is as 0, as what is left of a time may be."""
    try:
        return float(value + 0.0)  # float() takes text
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: {value!r:.40} is no number of seconds") from None


def _pieces(seconds):
    """Times that come to so many seconds: Python sees no signal, Ctrl-C for one, while the library
    waits."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > _PIECE:
        yield _PIECE
    yield left


def _just_late(late, words):
    """Did the library wait for as long as it was told? Else a board does not answer."""
    return words in str(late)


def _list(name, values):
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name}: {values!r:.40} is no list") from None


def _array(kind, values, length):
    """Of so many, the first of them these."""
    bits = 8 * ctypes.sizeof(kind)
    least, most = (0, (1 << bits) - 1) if bits == 8 else (-1 << bits - 1, (1 << bits - 1) - 1)
    words = [_whole("a value", v, most, least) for v in values]
    return (kind * max(length, 1))(*words)


def _place(at):
    try:
        coordinates = tuple(map(operator.index, at))
    except TypeError:
        coordinates = ()
    if not 2 <= len(coordinates) <= 3 or any(not 0 <= c <= 15 for c in coordinates):
        raise ValueError(f"no place: {at!r:.40}; coordinates are 2 or 3 numbers from 0 to 15")
    return _Port(*coordinates)


def _end(torus, one):
    """Of what is (place, end)."""
    try:
        place, end = one
    except (TypeError, ValueError):
        raise ValueError(f"no end: {one!r:.40}; it is a place and a number, ((0, 0), 1)") from None
    return End(torus, place, end)


class Torus:
    """A connection to one board, and so to its torus. where: as torus_open() has it."""

    def __init__(self, where, timeout=0, retry=0, key=0, take_over=False, library=None):
        self._t = None
        where, key = _text(where), _whole("key", key, (1 << 64) - 1)
        times = _seconds("timeout", timeout), _seconds("retry", retry)
        if not all(0 <= s < float("inf") for s in times):
            raise ValueError(f"timeout {timeout}, retry {retry}: seconds from 0 on, 0: as usual")
        self._lib = load(library)
        options = Options()
        self._lib.torus_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.key, options.take_over = key, bool(take_over)
        options.timeout, options.retry = times
        self._t = _t()
        error = self._lib.torus_open(
            ctypes.byref(self._t), where, ctypes.byref(options)
        )
        try:
            self._try(error)
        except Error:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._t:
            self._lib.torus_close(self._t)
        self._t = None

    def _call(self, name, *arguments):
        if not self._t:
            raise ValueError("the connection is closed")
        return getattr(self._lib, name)(self._t, *arguments)

    def _try(self, error):
        if error:
            detail = self._lib.torus_detail(self._t).decode() if self._t else ""
            kind = self._lib.torus_strerror(error).decode()
            raise (Timeout if error == NUMBERS["TORUS_E_TIMEOUT"] else Error)(kind, detail)

    def _do(self, name, *arguments):
        self._try(self._call(name, *arguments))

    @property
    def sizes(self):
        """(kx, ky) or (kx, ky, kz); () before discover() or attach()."""
        k = _Port()
        dims = self._call("torus_sizes", k)
        return tuple(k)[:dims]

    def discover(self, assign=False):
        """The boards; with assign they get their coordinates. Where the cabling is wrong: an Error;
        boards() and faults() say what was found all the same."""
        self._do("torus_discover")
        if assign:
            self._do("torus_assign")
        return self.boards()

    def attach(self):
        """The quick look, for boards that are programmed."""
        self._do("torus_attach")

    def boards(self):
        found = (
            self._call("torus_board", i).contents for i in range(self._call("torus_boards"))
        )
        return [
            Board(b.serial, tuple(b.at)[: b.dims], b.links, b.configured, b.hops) for b in found
        ]

    def faults(self):
        lines, i = [], 0
        while line := self._call("torus_fault", i):
            lines.append(line.decode())
            i += 1
        return lines

    def program(self, routing="ofr", tie_both=None, threshold=None, delta=None):
        """A preset, "abr", "por", "ofr", "dor" or "rdr", on all boards."""
        number = self._lib.torus_routing_named(_text(routing))
        if not number:
            raise ValueError(f"no routing: {routing}; there are abr, por, ofr, dor and rdr")
        preset = self._lib.torus_preset_default(number)
        for name, value, most in (
            ("tie_both", tie_both, 1),
            ("threshold", threshold, 255),
            ("delta", delta, 255),
        ):
            if value is not None:
                setattr(preset, name, _whole(name, value, most))
        self._do("torus_program", ctypes.byref(preset))

    @contextlib.contextmanager
    def lease(self, seconds=60):
        """The write lease is held inside of it: many small calls are quicker, others must wait."""
        self._do("torus_lease", _seconds("seconds", seconds))
        try:
            yield self
        finally:
            self._do("torus_release")

    def read(self, at, offset):
        """A register of a node by its byte offset (ofr_regs.h)."""
        value = ctypes.c_uint32()
        self._do("torus_read", _place(at), _whole("offset", offset, 0xFFFF), ctypes.byref(value))
        return value.value

    def write(self, at, offset, value):
        offset, value = _whole("offset", offset, 0xFFFF), _whole("value", value, 0xFFFFFFFF)
        self._do("torus_write", _place(at), offset, value)

    def counters(self):
        """{(x, y): {"delivered": 123, ...}} of all boards: what they count."""
        dims, boards = len(self.sizes), {}
        names, text = {}, ctypes.create_string_buffer(32)
        for i in range(NUMBERS["TORUS_COUNTERS"]):
            if self._lib.torus_counter_name(i, dims, text) and self._call("torus_counter_built", i):
                names[i] = text.value.decode()

        def each(_, at, values):
            boards[tuple(at[:dims])] = {name: values[i] for i, name in names.items()}

        self._do("torus_counters", _each_fn(each), None)
        return boards

    def join(self, one, other, seconds=30, pins=(False, False)):
        """Opens a channel between two ends, (place, end) each. Returns both as End. pins, of each:
        True, it is for the logic at the board's pins, or the program of its user's core, whose it
        is; False, for send() and receive()."""
        a, b, of = _end(self, one), _end(self, other), _list("pins", pins)
        if len(of) != 2:
            raise ValueError(f"pins: {pins!r:.40}: one of each end, (False, True)")
        seconds = _seconds("seconds", seconds)
        self._do("torus_channel_join", a._end, bool(of[0]), b._end, bool(of[1]), seconds)
        a._begun = b._begun = 0
        return a, b

    def group(self, places=None, end=0, acts=None, join=False, seconds=30):
        """A Group of the boards at these places, None: of all. acts: the members, by their places
        in the list, that this process acts for, None: all. join: another process has opened it."""
        return Group(self, places, end, acts, join, seconds)

    def tree(self, places=None, root=0, chain=False, software=True, seconds=30):
        """A Tree of the boards at these places, None: of all, by their collectives in hardware.
        root: a member, by its place in the list. software False: for the logic at their pins."""
        return Tree(self, places, root, chain, software, seconds)

    def clear_trees(self, places):
        """Ends the groups of these boards' collectives in hardware, whoever has formed them."""
        places = [_place(at) for at in _list("places", places)]
        self._do("torus_tree_clear", (_Port * len(places))(*places), len(places))

    def programs(self, places=None):
        """The Programs of the user cores of the boards at these places, None: of all."""
        return Programs(self, places)

    def datagrams(self, place):
        """The Datagrams of a board, taken from the logic at its pins."""
        return Datagrams(self, place)

    def end(self, place, end):
        """An end as it is, to be looked at, or to go on with what an earlier program joined."""
        return End(self, place, end)


class End:
    """One end of a channel: a stream of messages each way."""

    def __init__(self, torus, place, end):
        try:
            number = _whole("end", end, 15)
        except ValueError:
            raise ValueError(f"no end: {end!r:.40}; they are from 0 to 15") from None
        self._torus, self._end = torus, _End(_place(place), number)
        self._kept = b""  # what has come of a message
        self._came = []  # whole ones that nobody has been given yet
        self._begun = None  # bytes of a message that have gone, if that is known

    def send(self, data, seconds=30):
        """A message. Timeout: the other end has taken nothing in time; `sent` bytes of it went, and
        the next send() goes on with it."""
        data, seconds = _bytes(data), _seconds("seconds", seconds)
        begun, self._begun, gone = self._begun, None, 0
        for piece in _pieces(seconds):
            sent = _size()
            try:
                self._torus._do(
                    "torus_channel_send",
                    self._end,
                    data[gone:],
                    len(data) - gone,
                    piece,
                    ctypes.byref(sent),
                )
                self._begun = 0
                return
            except Timeout as late:
                gone += sent.value
                self._begun = None if begun is None else begun + gone
                late.sent = gone
                if not _just_late(late, "there is no room for more"):
                    raise
        late = Timeout(
            "no answer",
            f"{self}: there is no room for more: the other end takes nothing ({gone} of "
            f"{len(data)} bytes sent)",
        )
        late.sent = gone
        raise late

    def receive(self, seconds=30):
        """The next message, whole, however long; None: the channel is closed, and all of it has
        come. Cut: it was closed inside of a message. Timeout: nothing came; what came of a message
        is kept for the next receive()."""
        seconds = _seconds("seconds", seconds)
        for piece in _pieces(seconds):
            while not self._came:
                more = self._take(piece)
                if more is None:
                    break
                if not more and not self._came:
                    return self._ended()
            if self._came:
                return self._came.pop(0)
        kept = len(self._kept)
        raise Timeout("no answer", f"{self}: nothing comes ({kept} bytes of the message have)")

    def _take(self, seconds):
        """More of a message, behind what was kept of it: how many bytes; None: none came in time.
        A whole one is put with those that came, whatever ends this call."""
        got, whole = _size(), ctypes.c_bool(False)
        room = ctypes.create_string_buffer(_ROOM)
        try:
            self._torus._do(
                "torus_channel_recv",
                self._end,
                room,
                _ROOM,
                seconds,
                ctypes.byref(got),
                ctypes.byref(whole),
            )
        except Timeout as late:
            if not _just_late(late, "nothing comes"):
                raise
            return None
        finally:
            self._kept += room.raw[: got.value]
            if whole.value:
                self._came.append(self._kept)
                self._kept = b""
        return got.value

    def _ended(self):
        """The channel is closed. Was that inside of a message?"""
        part, self._kept = self._kept, b""
        if part:
            raise Cut(
                f"{self}: the channel was closed inside of a message, of which {len(part)} bytes "
                "had come: join the ends anew and send it again",
                part,
            )

    def __str__(self):
        dims = len(self._torus.sizes) if self._torus._t else 0
        at = tuple(self._end.at)[: dims or 3]
        return f"({','.join(map(str, at))}) end {self._end.end}"

    def close(self, seconds=30):
        """Once the other end has taken all."""
        self._torus._do("torus_channel_close", self._end, _seconds("seconds", seconds))

    def abort(self):
        """At once; what has come and was not taken is thrown away."""
        self._torus._do("torus_channel_abort", self._end)
        self._kept, self._came, self._begun = b"", [], 0

    def release(self):
        """Gives it back to the logic at its pins, once it is closed or aborted."""
        self._torus._do("torus_channel_release", self._end)

    def state(self):
        """{"state": "open", "reason": None, "sent": bytes, ...}"""
        c = _Channel()
        self._torus._do("torus_channel_state", self._end, ctypes.byref(c))
        said = {n: getattr(c, n) for n, _ in _Channel._fields_ if n != "peer"}
        said["state"] = c.state.decode()
        said["reason"] = c.reason and c.reason.decode()
        said["peer"] = (tuple(c.peer.at), c.peer.end)
        return said


def _members(torus, places):
    """How many, and the array of their places; None: all boards."""
    sizes = torus.sizes + (1,) * (3 - len(torus.sizes))
    if places is None:
        return sizes[0] * sizes[1] * sizes[2], None
    places = [_place(at) for at in _list("places", places)]
    return len(places), (_Port * len(places))(*places)


def _want_torus(torus, what):
    if not torus._t:  # what the library has of it goes by a handle that is gone
        raise ValueError(f"the connection is closed: close the {what} before its Torus")


class Group:
    """Some boards, each a member, joined for collectives. Every member does the same calls; what is
    given and returned is {member: data} of those that this process acts for."""

    def __init__(self, torus, places, end, acts, join, seconds):
        self.members, at = _members(torus, places)
        acts = range(self.members) if acts is None else _list("acts", acts)
        self.acts = sorted({_whole("acts: a member", m, self.members - 1) for m in acts})
        self._torus, self._g = torus, _t()
        options = _GroupOptions()
        torus._lib.torus_group_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.end, options.join = _whole("end", end, 15), bool(join)
        options.seconds = _seconds("seconds", seconds)
        options.acts = (ctypes.c_bool * self.members)(
            *(m in self.acts for m in range(self.members))
        )
        if not torus._t:
            raise ValueError("the connection is closed")
        torus._try(
            torus._lib.torus_group_open(
                ctypes.byref(self._g), torus._t, ctypes.byref(options), at, self.members
            )
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _do(self, name, *arguments):
        if not self._g:
            raise ValueError("the group is closed")
        _want_torus(self._torus, "group")
        self._torus._try(getattr(self._torus._lib, name)(self._g, *arguments))

    def close(self):
        """Once the others have taken all. Before the Torus is closed."""
        if self._g:
            _want_torus(self._torus, "group")
            group, self._g = self._g, None
            self._torus._try(self._torus._lib.torus_group_close(group))

    def _each(self, kind, data, length):
        """An array of `length` each, and the pointers to them; data: {member: values}."""
        arrays = {m: _array(kind, data.get(m, ()), length) for m in self.acts}
        pointers = (ctypes.c_void_p * self.members)(
            *(m in arrays and ctypes.addressof(arrays[m]) or None for m in range(self.members))
        )
        return arrays, pointers

    def _given(self, data, kind=list):
        """What each of ours gives, all as much, and how much that is."""
        if not isinstance(data, dict) or set(data) != set(self.acts):
            raise ValueError(f"members {self.acts} each give as much, as {{member: data}}")
        data = {m: _bytes(d) if kind is bytes else _list(f"member {m}", d) for m, d in data.items()}
        if len({len(d) for d in data.values()}) > 1:
            raise ValueError(f"members {self.acts} each give as much")
        return data, len(next(iter(data.values()), ()))

    def _root(self, root):
        return _whole("root", root, self.members - 1)

    def _length(self, length):
        """Of what the root, for which somebody else acts, gives."""
        if length is None:
            raise ValueError("length: who does not act for the root says how many bytes it gives")
        return _whole("length", length, (1 << 32) - 1)

    def barrier(self):
        """Returns when all members have come to it."""
        self._do("torus_barrier")

    def broadcast(self, root, data, length=None):
        """The root's bytes, for each. Who does not act for the root says their length."""
        given, root = {}, self._root(root)
        if root in self.acts:
            given = {root: _bytes(data)}
            length = len(given[root])
        length = self._length(length)
        arrays, pointers = self._each(ctypes.c_uint8, given, length)
        self._do("torus_broadcast", root, pointers, length)
        return {m: bytes(a[:length]) for m, a in arrays.items()}

    def reduce(self, root, operation, values):
        """{member: [words]} reduced by "sum", "min", "max" or "or": the result, at the root."""
        (values, length), root = self._given(values), self._root(root)
        _arrays, pointers = self._each(ctypes.c_int32, values, length)
        result = (ctypes.c_int32 * max(length, 1))()
        self._do("torus_reduce", root, _operation(operation), pointers, result, length)
        return list(result[:length]) if root in self.acts else None

    def all_reduce(self, operation, values):
        """The same: the result, which all have."""
        values, length = self._given(values)
        arrays, pointers = self._each(ctypes.c_int32, values, length)
        self._do("torus_all_reduce", _operation(operation), pointers, length)
        return {m: list(a[:length]) for m, a in arrays.items()}

    def scatter(self, root, data, length=None):
        """data: the root's list of bytes, one each and of one length; each its own."""
        everything, root = None, self._root(root)
        if root in self.acts:
            data = [_bytes(d) for d in _list("data", data)]
            if len(data) != self.members or len({len(d) for d in data}) != 1:
                raise ValueError(f"{self.members} times as many bytes are to be scattered")
            length, everything = len(data[0]), b"".join(data)
        length = self._length(length)
        arrays, pointers = self._each(ctypes.c_uint8, {}, length)
        self._do("torus_scatter", root, everything, pointers, length)
        return {m: bytes(a[:length]) for m, a in arrays.items()}

    def gather(self, root, data):
        """{member: bytes} of one length: a list of all, at the root."""
        (data, length), root = self._given(data, bytes), self._root(root)
        _arrays, pointers = self._each(ctypes.c_uint8, data, length)
        room = ctypes.create_string_buffer(max(length * self.members, 1))
        self._do("torus_gather", root, pointers, room, length)
        if root not in self.acts:
            return None
        return [room.raw[length * m : length * (m + 1)] for m in range(self.members)]


class Tree:
    """Some boards, each a member, whose collectives in hardware are joined. This process acts for
    all members."""

    def __init__(self, torus, places, root, chain, software, seconds):
        self.members, at = _members(torus, places)
        self.root = root = _whole("root", root, max(self.members, 1) - 1)
        self._torus, self._g, seconds = torus, _t(), _seconds("seconds", seconds)
        options = _TreeOptions()
        torus._lib.torus_tree_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.root, options.software, options.seconds = root, bool(software), seconds
        options.shape = NUMBERS["TORUS_CHAIN" if chain else "TORUS_TREE"]
        if not torus._t:
            raise ValueError("the connection is closed")
        torus._try(
            torus._lib.torus_tree_open(
                ctypes.byref(self._g), torus._t, ctypes.byref(options), at, self.members
            )
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _call(self, name, *arguments):
        if not self._g:
            raise ValueError("the tree is closed")
        _want_torus(self._torus, "tree")
        return getattr(self._torus._lib, name)(self._g, *arguments)

    def close(self):
        """The boards become their pins' again. Before the Torus is closed."""
        if self._g:
            _want_torus(self._torus, "tree")
            tree, self._g = self._g, None
            self._torus._try(self._torus._lib.torus_tree_close(tree))

    def keep(self):
        """It stays, for the logic at the pins: this object is done with."""
        self._call("torus_tree_keep")
        self._g = None

    def place(self, member):
        """Its parent, None of the root; its distance from the root; its place in the order."""
        p = self._call("torus_tree_place", _whole("member", member, self.members - 1))
        return TreePlace(None if p.parent < 0 else p.parent, p.depth, p.order)

    def barrier(self):
        self._run("torus_tree_barrier")

    def _vectors(self, values, length):
        """Members' arrays, and the pointers to them; values: {member: words}."""
        arrays = [_array(ctypes.c_int32, values.get(m, ()), length) for m in range(self.members)]
        return arrays, (ctypes.c_void_p * self.members)(*map(ctypes.addressof, arrays))

    def _each(self, values):
        """What all give, as {member: words}, and how many words that is."""
        wanted = f"{self.members} members each give as much, as a list of their words"
        if isinstance(values, dict):
            raise ValueError(wanted)
        values = [_list(f"member {m}", v) for m, v in enumerate(_list("values", values))]
        if len(values) != self.members or len({len(v) for v in values}) != 1:
            raise ValueError(wanted)
        return dict(enumerate(values)), len(values[0])

    def _run(self, name, *arguments):
        self._torus._try(self._call(name, *arguments))

    def broadcast(self, words):
        """The root's words: a list of what each member has."""
        words = _list("words", words)
        arrays, pointers = self._vectors({self.root: words}, len(words))
        self._run("torus_tree_broadcast", pointers, len(words))
        return [list(a[: len(words)]) for a in arrays]

    def scatter(self, values):
        """The root's list of words for each member: a list of what each has."""
        values, length = self._each(values)
        everything = [v for m in range(self.members) for v in values[m]]
        arrays, pointers = self._vectors({}, length)
        parts = _array(ctypes.c_int32, everything, len(everything))
        self._run("torus_tree_scatter", parts, pointers, length)
        return [list(a[:length]) for a in arrays]

    def gather(self, values):
        """A list of each member's words: the same, as the root has it."""
        values, length = self._each(values)
        _arrays, pointers = self._vectors(values, length)
        room = _array(ctypes.c_int32, (), self.members * length)
        self._run("torus_tree_gather", pointers, room, length)
        return [list(room[length * m : length * (m + 1)]) for m in range(self.members)]

    def reduce(self, operation, values):
        """A list of each member's words, reduced by "sum", "min", "max" or "or": what the root
        has."""
        values, length = self._each(values)
        _arrays, pointers = self._vectors(values, length)
        result = _array(ctypes.c_int32, (), length)
        self._run("torus_tree_reduce", _operation(operation), pointers, result, length)
        return list(result[:length])

    def all_reduce(self, operation, values):
        """The same: a list of each member's result."""
        values, length = self._each(values)
        arrays, pointers = self._vectors(values, length)
        self._run("torus_tree_all_reduce", _operation(operation), pointers, length)
        return [list(a[:length]) for a in arrays]


class Datagrams:
    """The single packets that a board sends and takes. most: bytes that one has room for."""

    def __init__(self, torus, place):
        self._torus, self._at = torus, _place(place)
        torus._do("torus_datagram_attach", self._at, True)
        self.most = torus._call("torus_datagram_most")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """They become the logic's at the pins again."""
        self._torus._do("torus_datagram_attach", self._at, False)

    def send(self, place, data, end=0, traffic="minimal", seconds=30):
        """To a node, and an end there, a number that is only carried; traffic: "inorder", "minimal"
        or "deroute". Returns as the network has taken it."""
        if traffic not in ("inorder", "minimal", "deroute"):
            raise ValueError(f"no class: {traffic!r:.40}; inorder, minimal or deroute")
        data, to = _bytes(data), _End(_place(place), _whole("end", end, 255))
        seconds = _seconds("seconds", seconds)
        number = NUMBERS["TORUS_" + traffic.upper()]
        self._torus._do("torus_datagram_send", self._at, to, number, data, len(data), seconds)

    def receive(self, seconds=30):
        """The first Datagram that has come: its bytes, who sent it, to which end."""
        got, source, seconds = _size(), _End(), _seconds("seconds", seconds)
        room = ctypes.create_string_buffer(max(self.most, 1))
        until = time.monotonic() + seconds
        for piece in _pieces(seconds):
            try:
                self._torus._do(
                    "torus_datagram_recv",
                    self._at,
                    room,
                    self.most,
                    piece,
                    ctypes.byref(got),
                    source,
                )
                break
            except Timeout as late:
                if not (time.monotonic() < until and _just_late(late, "no datagram has come")):
                    raise
        place = tuple(source.at)[: len(self._torus.sizes)]
        return Datagram(room.raw[: got.value], place, source.end)


class Programs:
    """Programs on some boards' user cores. Nothing of it is held: it may be made anew at any time."""

    def __init__(self, torus, places):
        self._torus = torus
        self._boards, self._at = _members(torus, places)
        if not self._boards:
            raise ValueError("no boards: None means all")

    def load(self, image):
        """Holds what is there, ends its streams, and loads this one: bytes from address 0 on, as
        make build/firmware/user/NAME.bin has them."""
        image = _bytes(image)
        self._torus._do("torus_user_load", self._at, self._boards, image, len(image))

    def start(self, *arguments):
        """From its beginning, on all boards; up to four words that it is told."""
        if len(arguments) > 4:
            raise ValueError("a program is told four words at most")
        words = (ctypes.c_uint32 * 4)(*(_whole("a word", w, (1 << 32) - 1) for w in arguments))
        self._torus._do("torus_user_start", self._at, self._boards, words)

    def stop(self):
        """Holds it, whatever it does."""
        self._torus._do("torus_user_stop", self._at, self._boards)

    def join(self, one, other, seconds=30):
        """Joins two ends of programs, (place, end) each, after they were loaded."""
        a, b = _end(self._torus, one), _end(self._torus, other)
        self._torus._do("torus_user_join", a._end, b._end, _seconds("seconds", seconds))

    def state(self, place):
        """{"state": "running", "cause": None, "code": 0, ...} of the program at that board."""
        u = _User()
        self._torus._do("torus_user_state", _place(place), ctypes.byref(u))
        said = {n: getattr(u, n) for n, _ in _User._fields_}
        said["state"] = u.state.decode()
        said["cause"] = u.cause and u.cause.decode()
        return said

    def console(self, place):
        """The bytes that it has printed since they were last taken; of an endless one 64 KiB."""
        got, room = _size(), ctypes.create_string_buffer(_ROOM)
        self._torus._do("torus_user_console", _place(place), room, _ROOM, ctypes.byref(got))
        return room.raw[: got.value]

    def memory(self, place, address, size):
        """So many bytes of its memory, while it is held."""
        address = _whole("address", address, (1 << 32) - 1)
        size = _whole("size", size, self.state(place)["memory"])
        room = ctypes.create_string_buffer(max(size, 1))
        self._torus._do("torus_user_memory", _place(place), address, room, size)
        return room.raw[:size]


def _operation(name):
    if name not in ("sum", "min", "max", "or"):
        raise ValueError(f"no reduction: {name!r:.40}; sum, min, max or or")
    return NUMBERS["TORUS_" + name.upper()]


def _want_joined(sender, receiver):
    for end in (sender, receiver):
        if not isinstance(end, End):
            raise TypeError(f"{end!r:.40}: an End is wanted, as join() returns them")
    state = sender.state()
    place, number = state["peer"]
    if state["open"] and (place, number) != (tuple(receiver._end.at), receiver._end.end):
        other = End(sender._torus, place, number)
        raise ValueError(f"{sender} is joined with {other}, not with {receiver}: nothing was sent")


def move(sender, receiver, data, seconds=30):
    """A message of any length from one End to the other of a channel: sends what there is room for
    and takes what comes, in turn. Returns what came, from where the message began; those that
    were sent before it are kept for receive(). Timeout: neither for so many seconds; `sent` bytes
    went."""
    data, sent, whole = _bytes(data), 0, False
    seconds = _seconds("seconds", seconds)
    _want_joined(sender, receiver)
    begun = sender._begun
    earlier, receiver._came = receiver._came, []
    seen, until = None, 0
    try:
        while True:
            now = (sent, len(earlier), len(receiver._kept))
            if now != seen:
                seen, until = now, time.monotonic() + seconds
            elif not time.monotonic() <= until:  # also where seconds are no number
                line = f"{sent} of {len(data)} bytes sent; no more for {seconds:g} s"
                late = Timeout("timeout", line)
                late.sent = sent
                raise late
            if not whole:
                try:
                    sender.send(data[sent:], 0)
                    sent, whole = len(data), True
                except Timeout as late:
                    sent += late.sent
            with contextlib.suppress(Timeout):
                came = receiver.receive(0.05 if whole else 0)
                if came is None:
                    line = f"{receiver}: the channel was closed; {sent} of {len(data)} bytes went"
                    raise Error("closed", line)
                if whole and _is_it(came, begun, data):
                    return came
                earlier.append(came)
    finally:
        receiver._came = earlier + receiver._came


def _is_it(came, begun, data):
    """Is this the message of which so many bytes, None: nobody knows, were followed by data?"""
    return came.endswith(data) and begun in (None, len(came) - len(data))
