"""Servers that speak HTTP/2 badly (RFC 9113), their frames made by hand."""

import struct
import time
from urllib.parse import unquote

from hpack import Decoder


from case import Case, comes, either, fails

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    range(10)
)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 1, 1, 4, 8, 32
MALFORMED = "malformed_response"
CODES = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
]


def frame(kind, flags=0, stream=0, body=b""):
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def settings(**values):
    names = {"table": 1, "push": 2, "streams": 3, "window": 4, "frame": 5, "headers": 6, "odd": 99}
    return frame(
        SETTINGS, 0, 0, b"".join(struct.pack(">HI", names[name], value) for name, value in values.items())
    )


def block(*fields):
    """Fields as they stand, nothing indexed, so that no table has to agree."""

    def text(value):
        value = value if isinstance(value, bytes) else value.encode("latin-1")
        return integer(len(value)) + value

    def integer(number):
        if number < 127:
            return bytes([number])
        number, out = number - 127, [127]
        while number > 127:
            out.append(number % 128 + 128)
            number //= 128
        return bytes(out + [number])

    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields)


def head(stream, *fields, status="200", end=False):
    return frame(
        HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block((":status", status), *fields)
    )


def data(stream, body, end=True):
    return frame(DATA, END_STREAM if end else 0, stream, body)


def answer(stream, body=b"hi", *fields):
    return head(stream, *fields) + data(stream, body)


def reset(stream, code):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def goaway(last, code, words=b""):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last, code) + words)


class Peer:
    """One connection: reads frames, answers requests by their cases, and what is not of a case rightly."""

    def __init__(self, connection, cases):
        self.connection, self.cases, self.buffer = connection, cases, b""

    def read(self, count):
        while len(self.buffer) < count:
            piece = self.connection.recv(65536)
            if not piece:
                return None
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def next_frame(self):
        start = self.read(9)
        if start is None:
            return None
        length = int.from_bytes(start[:3], "big")
        stream = int.from_bytes(start[5:], "big") & 0x7FFFFFFF
        body = self.read(length)
        return None if body is None else (start[3], start[4], stream, body)

    def speak(self):
        if self.read(len(PREFACE)) != PREFACE:
            return
        self.connection.sendall(settings(streams=100))
        decoder, head_block = Decoder(), b""
        while True:
            found = self.next_frame()
            if found is None:
                return
            kind, flags, stream, body = found
            if kind == HEADERS:
                if flags & PADDED:
                    body = body[1 : len(body) - body[0]]
                if flags & PRIORITIZED:
                    body = body[5:]
                head_block = body
            elif kind == CONTINUATION:
                head_block += body
            elif kind == SETTINGS and not flags & ACK:
                self.connection.sendall(frame(SETTINGS, ACK))
                continue
            elif kind == PING and not flags & ACK:
                self.connection.sendall(frame(PING, ACK, 0, body))
                continue
            else:
                continue
            if not flags & END_HEADERS:
                continue
            fields = dict(decoder.decode(head_block))
            case = self.cases.get(unquote(fields[":path"].removeprefix("/")))
            if case is None:
                self.connection.sendall(answer(stream, b"fine", ("content-type", "text/plain")))
            elif self.play(case, stream) != "keep":
                return

    def play(self, case, stream):
        import server

        pieces = case.answer(stream)
        for piece in [pieces] if isinstance(pieces, bytes) else pieces:
            if isinstance(piece, bytes):
                self.connection.sendall(piece)
            else:
                time.sleep(piece)
        server.end(self.connection, case.ending)
        return case.ending


def speak(connection, cases):
    Peer(connection, cases).speak()


def forever(piece, start=b""):
    """Without end, in packets of a sensible size."""
    yield start
    many = piece * max(1, 16384 // len(piece))
    while True:
        yield many


def resets():
    for code, name in enumerate(CODES):
        # REFUSED_STREAM says that nothing was done: it is sent again, until that has been tried enough.
        # HTTP_1_1_REQUIRED makes curl try the older version, which this server does not speak.
        # Nothing is wrong with the answer of a server that gives up. (RTY-05)
        gives_up = name in ("INTERNAL_ERROR", "CANCEL", "ENHANCE_YOUR_CALM", "REFUSED_STREAM")
        yield f"a stream reset with {name}", lambda s, c=code: reset(s, c), fails(
            *(("connection",) if gives_up else (MALFORMED, "connection", "network", "timeout"))
        ), {}
        yield f"a stream reset with {name} in its body", lambda s, c=code: head(s) + data(
            s, b"hel", end=False
        ) + reset(s, c), fails(MALFORMED, "truncated_body", "connection", "network"), {}
    # libcurl (7.88 to 8.14) takes these resets for the end of the body, if the head has been read before.
    yield "a reset without error instead of the end of a body", lambda s: iter(
        [head(s) + data(s, b"hel", end=False), 0.3, reset(s, 0)]
    ), either(comes(b"hel"), "truncated_body", MALFORMED), {}
    yield "a reset without error before a promised length", lambda s: iter(
        [head(s, ("content-length", "5")) + data(s, b"hel", end=False), 0.3, reset(s, 0)]
    ), fails("truncated_body"), {}
    yield "a body without a length", lambda s: head(s) + data(s, b"hel", end=False) + data(s, b"lo"), comes(
        b"hello"
    ), {}
    yield "a stream reset with a code nobody knows", lambda s: reset(s, 0xDEADBEEF), fails(
        MALFORMED, "connection"
    ), {}
    yield "a reset behind a whole answer", lambda s: answer(s) + reset(s, 8), either(
        comes(b"hi"), MALFORMED
    ), {}
    yield "a reset without error behind a whole answer", lambda s: answer(s) + reset(s, 0), comes(b"hi"), {}
    yield "a reset of a stream that nobody opened", lambda s: reset(s + 100, 1) + answer(s), either(
        comes(b"hi"), MALFORMED, "connection"
    ), {}
    yield "a reset of no stream", lambda s: reset(0, 1), fails(MALFORMED, "connection", "network"), {}
    yield "a short reset", lambda s: frame(RST_STREAM, 0, s, b"\0"), fails(
        MALFORMED, "connection", "network"
    ), {}


def partings():
    for code, name in enumerate(CODES):
        yield f"a farewell with {name} before the answer", lambda s, c=code: goaway(0, c, b"bye"), fails(
            MALFORMED, "connection", "network", "truncated_body"
        ), {"ending": "close"}
    yield "a farewell, and the answer", lambda s: goaway(s, 0) + answer(s), comes(b"hi"), {"ending": "close"}
    yield "a farewell with an error, and the answer", lambda s: goaway(s, 2) + answer(s), either(
        comes(b"hi"), MALFORMED, "connection"
    ), {"ending": "close"}
    yield "a farewell in the body", lambda s: head(s) + data(s, b"hel", end=False) + goaway(s, 2), fails(
        "truncated_body", MALFORMED, "connection"
    ), {"ending": "close"}
    yield "farewells that raise their stream", lambda s: goaway(0, 0) + goaway(2**31 - 1, 0) + answer(
        s
    ), either(comes(b"hi"), MALFORMED, "connection", "network"), {"ending": "close"}
    yield "a farewell of 16 KB", lambda s: goaway(s, 0, b"\x1b[2J" * 4000) + answer(s), comes(b"hi"), {
        "ending": "close"
    }
    yield "a close before the answer", lambda s: b"", fails("connection", MALFORMED), {"ending": "close"}
    # By then the next request has gone out, on this connection.
    yield "a close without a farewell behind the answer", lambda s: iter([answer(s), 0.1]), comes(b"hi"), {
        "ending": "close"
    }
    yield "a close in a frame", lambda s: head(s)[:7], fails("connection", MALFORMED), {"ending": "close"}
    yield "a close behind the head", lambda s: head(s, ("content-length", "5")), fails(
        "truncated_body", MALFORMED
    ), {"ending": "close"}
    yield "a close in the body", lambda s: head(s) + data(s, b"hel", end=False), fails(
        "truncated_body", MALFORMED
    ), {"ending": "close"}
    yield "a reset connection in the body", lambda s: head(s) + data(s, b"hel", end=False), fails(
        "truncated_body", "connection", MALFORMED
    ), {"ending": "reset"}


def floods():
    broken = fails(MALFORMED, "connection", "timeout", "network", "truncated_body")
    short = {"seconds": 3}
    yield "a thousand settings", lambda s: settings(window=65535) * 1000 + answer(s), either(
        comes(b"hi"), MALFORMED, "connection", "network"
    ), {}
    yield "settings without end", lambda s: forever(settings(window=65535)), broken, short
    yield "settings of two thousand values", lambda s: frame(
        SETTINGS, 0, 0, struct.pack(">HI", 4, 65535) * 2000
    ) + answer(s), either(comes(b"hi"), MALFORMED, "connection", "network"), {}
    yield "a thousand pings", lambda s: frame(PING, 0, 0, b"12345678") * 1000 + answer(s), either(
        comes(b"hi"), MALFORMED, "connection", "network"
    ), {}
    yield "pings without end", lambda s: forever(frame(PING, 0, 0, b"12345678")), broken, short
    yield "answers to pings without end", lambda s: forever(frame(PING, ACK, 0, b"12345678")), broken, short
    yield "priorities without end", lambda s: forever(frame(PRIORITY, 0, s + 2, b"\0\0\0\0\1")), broken, short
    yield "windows without end", lambda s: forever(frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\1")), broken, short
    yield "unknown frames without end", lambda s: forever(frame(77, 255, 0, b"x" * 100)), broken, short
    yield "resets without end", lambda s: forever(reset(s + 2, 8)), broken, short
    # libcurl (7.88) reads such frames as long as they come, so that only the connection's end ends it.
    yield "farewells without end", lambda s: forever(goaway(s, 0)), broken, short
    yield "empty data without end", lambda s: forever(data(s, b"", end=False), head(s)), broken, short
    yield "padding without end", lambda s: forever(
        frame(DATA, PADDED, s, b"\xff" + bytes(255)), head(s)
    ), broken, short
    yield "continuations without end", lambda s: forever(
        frame(CONTINUATION, 0, s, block(("x-a", "b" * 100)) * 100),
        frame(HEADERS, 0, s, block((":status", "200"))),
    ), broken, short
    yield "empty continuations without end", lambda s: forever(
        frame(CONTINUATION, 0, s), frame(HEADERS, 0, s, block((":status", "200")))
    ), broken, short
    yield "early hints without end", lambda s: forever(head(s, ("link", "</a>"), status="103")), broken, short
    yield "two thousand early hints", lambda s: head(s, status="103") * 2000 + answer(s), either(
        comes(b"hi"), MALFORMED
    ), {}
    yield "trailers again and again", lambda s: head(s) + frame(
        HEADERS, END_HEADERS, s, block(("x-a", "b"))
    ) * 50, broken, short
    yield "heads without end", lambda s: forever(head(s)), broken, short
    yield "a body without end", lambda s: forever(data(s, b"x" * 16000, end=False), head(s)), fails(
        "body_too_large"
    ), {"verb": False}
    yield "a head of ten thousand fields", lambda s: b"".join(split_head(s, [("x-a", "b")] * 10_000)) + data(
        s, b"hi"
    ), comes(b"hi"), {}
    yield "a field of 60 KB", lambda s: b"".join(split_head(s, [("x-a", "b" * 60_000)])) + data(
        s, b"hi"
    ), comes(b"hi"), {}
    yield "a field of 60 KB, and a body", lambda s: b"".join(split_head(s, [("x-a", "b" * 60_000)])) + data(
        s, b"x" * 16_000
    ), comes(b"x" * 16_000), {}
    # Just below what nghttp2 and libcurl (7.88) take.
    yield "a head of 120 KB", lambda s: b"".join(
        split_head(s, [("x-a", "b" * 60_000), ("x-b", "b" * 60_000)])
    ) + data(s, b"x" * 16_000), comes(b"x" * 16_000), {}
    yield "a head of 120 KB in few bytes", lambda s: hpack_bomb(s, 28, b"x" * 16_000), comes(
        b"x" * 16_000
    ), {}
    yield "a field of a megabyte", lambda s: b"".join(split_head(s, [("x-a", "b" * (1 << 20))])) + data(
        s, b"hi"
    ), fails(MALFORMED, "connection", "network"), {}
    yield "a head that grows a thousandfold", hpack_bomb, fails(MALFORMED, "connection", "network"), {}


def split_head(stream, fields):
    """A head over as many frames as it needs."""
    whole = block((":status", "200"), *fields)
    parts = [whole[place : place + 16000] for place in range(0, len(whole), 16000)]
    for number, part in enumerate(parts):
        last = END_HEADERS if number == len(parts) - 1 else 0
        yield frame(HEADERS if number == 0 else CONTINUATION, last, stream, part)


def hpack_bomb(stream, count=12_000, body=b"hi"):
    """A field of 4 KB in the table, then a byte for each of its repetitions."""
    value = b"b" * 4000
    inserted = b"\x40\x01a\x7f" + bytes([(len(value) - 127) % 128 + 128, (len(value) - 127) // 128]) + value
    whole = block((":status", "200")) + inserted + b"\xbe" * count
    return frame(HEADERS, END_HEADERS, stream, whole) + data(stream, body)


def heads():
    def fields(*pairs, body=b"hi"):
        return lambda s: head(s, *pairs) + data(s, body)

    bad = fails(MALFORMED, "connection", "network")
    lax = either(comes(b"hi"), MALFORMED, "connection", "network")
    for name, pair in {
        "a name in capitals": ("X-Upper", "b"),
        "a name with a space": ("x a", "b"),
        "a name with a line break": ("x\r\ny", "b"),
        "a name with a zero byte": ("x\0", "b"),
        "a value with a line break": ("x-a", "b\r\nset-cookie: c=d"),
        "a value with a zero byte": ("x-a", "b\0c"),
        "a value with a line feed": ("x-a", "b\nx-b: c"),
        "an empty name": ("", "b"),
        "a connection header": ("connection", "close"),
        "a transfer coding": ("transfer-encoding", "chunked"),
        "an upgrade": ("upgrade", "h2c"),
        "a keep-alive": ("keep-alive", "1"),
        "a field of requests": (":path", "/"),
        "a pseudo field nobody knows": (":color", "red"),
        "a second status": (":status", "500"),
        "a name with a colon": ("x:y", "b"),
    }.items():
        # What nghttp2 drops instead of refusing must not come through as a header of its own.
        yield name, fields(pair), (
            lax
            if name
            in (
                "a name with a space",
                "a name with a line break",
                "a name with a zero byte",
                "a value with a line break",
                "a value with a zero byte",
                "a value with a line feed",
                "an empty name",
                "a name with a colon",
            )
            else bad
        ), {}
    yield "no status", lambda s: frame(HEADERS, END_HEADERS, s, block(("x-a", "b"))) + data(s, b"hi"), bad, {}
    yield "a status behind a field", lambda s: frame(
        HEADERS, END_HEADERS, s, block(("x-a", "b"), (":status", "200"))
    ) + data(s, b"hi"), bad, {}
    for status in ("", "abc", "20", "2000", "-20", "000", "099", "20 0"):
        yield f"the status '{status}'", lambda s, t=status: head(s, status=t) + data(s, b"hi"), bad, {}
    yield "101", lambda s: head(s, status="101") + answer(s), bad, {}
    yield "100, then nothing", lambda s: head(s, status="100", end=True), bad, {}
    yield "a length that is too large", fields(("content-length", "5")), fails(
        MALFORMED, "truncated_body", "connection"
    ), {}
    yield "a length that is too small", fields(("content-length", "1")), fails(
        MALFORMED, "truncated_body", "connection"
    ), {}
    for value in ("-1", "+2", "0x2", "two", "", "2, 2", "9" * 30):
        yield f"the length '{value}'", fields(("content-length", value)), bad, {}
    yield "two lengths", fields(("content-length", "2"), ("content-length", "3")), bad, {}
    yield "a length and no body", lambda s: head(s, ("content-length", "5"), end=True), fails(
        MALFORMED, "truncated_body"
    ), {}
    yield "data before the head", lambda s: data(s, b"hi"), bad, {}
    yield "data behind the end", lambda s: answer(s) + data(s, b"more"), either(
        comes(b"hi"), MALFORMED, "connection"
    ), {}
    yield "trailers", lambda s: head(s) + data(s, b"hi", end=False) + frame(
        HEADERS, END_HEADERS | END_STREAM, s, block(("x-a", "b"))
    ), comes(b"hi"), {}
    yield "trailers with a status", lambda s: head(s) + data(s, b"hi", end=False) + frame(
        HEADERS, END_HEADERS | END_STREAM, s, block((":status", "500"))
    ), bad_or_cut(), {}
    yield "trailers that do not end", lambda s: head(s) + data(s, b"hi", end=False) + frame(
        HEADERS, END_HEADERS, s, block(("x-a", "b"))
    ), bad_or_cut(), {"seconds": 2}
    yield "gzip that is cut", lambda s: head(s, ("content-encoding", "gzip")) + data(
        s, b"\x1f\x8b\x08\0\0\0\0\0\0\x03K"
    ), fails("truncated_body", words="is truncated"), {}
    yield "a body behind 204", lambda s: head(s, status="204") + data(s, b"hi"), either(
        comes(b"", 204), MALFORMED
    ), {}
    yield "an empty redirect", lambda s: head(s, ("location", ""), status="302") + data(s, b"hi"), comes(
        b"hi", 302
    ), {}


def bad_or_cut():
    return fails(MALFORMED, "connection", "network", "truncated_body", "timeout")


def frames():
    bad = fails(MALFORMED, "connection", "network", "truncated_body")
    lax = either(comes(b"hi"), MALFORMED, "connection", "network")
    for name, wrong in {
        "a head of no stream": frame(HEADERS, END_HEADERS, 0, block((":status", "200"))),
        "data of no stream": frame(DATA, 0, 0, b"hi"),
        "a ping of seven bytes": frame(PING, 0, 0, b"1234567"),
        "a ping of a stream": frame(PING, 0, 1, b"12345678"),
        "settings of five bytes": frame(SETTINGS, 0, 0, b"12345"),
        "settings of a stream": frame(SETTINGS, 0, 1),
        "a confirmation with a body": frame(SETTINGS, ACK, 0, b"123456"),
        "a window of nothing": frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\0"),
        "a window that overflows": frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 2,
        "a window of three bytes": frame(WINDOW_UPDATE, 0, 0, b"\0\0\1"),
        "a continuation of nothing": frame(CONTINUATION, END_HEADERS, 1, b""),
        "a promise": frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2) + block((":method", "GET"))),
        "a head of a stream of the server's": frame(HEADERS, END_HEADERS, 2, block((":status", "200"))),
        "a frame larger than agreed": frame(DATA, 0, 1, bytes(20_000)),
        "a frame of 16 MB": b"\xff\xff\xff\0\0\0\0\0\1" + bytes(99_999),
        "a head of bytes that mean nothing": frame(HEADERS, END_HEADERS, 1, b"\xff" * 50),
        "a field of the table that is not there": frame(HEADERS, END_HEADERS, 1, b"\xfe"),
        "a table larger than agreed": frame(
            HEADERS, END_HEADERS, 1, b"\x3f\xe1\xff\xff\x7f" + block((":status", "200"))
        ),
        "text of Huffman that is none": frame(HEADERS, END_HEADERS, 1, b"\x00\x84\xff\xff\xff\xff\x01a"),
        "a padding longer than its frame": frame(
            HEADERS, END_HEADERS | PADDED, 1, b"\xff" + block((":status", "200"))
        ),
        "an initial window that overflows": settings(window=2**31),
        "a frame size that is too small": settings(frame=1),
        "a push that is neither": settings(push=2),
        "another frame within a head": frame(HEADERS, 0, 1, block((":status", "200")))
        + frame(PING, 0, 0, b"12345678"),
        "HTTP/1 in the middle": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "zero bytes": bytes(5000),
        "every byte there is": bytes(range(256)) * 4,
    }.items():
        # Then silence: who waits for more must give up in time.
        yield name, lambda s, w=wrong: w, fails(
            MALFORMED, "connection", "network", "truncated_body", "timeout"
        ), {"seconds": 2, "ending": "hold"}
    for name, odd in {
        "settings nobody knows": settings(odd=2**32 - 1),
        "a frame nobody knows": frame(200, 255, 0, b"x" * 50),
        "a priority": frame(PRIORITY, 0, 1, b"\0\0\0\0\1"),
        "no table": settings(table=0),
        "a huge table": settings(table=2**32 - 1),
        "a huge window": frame(WINDOW_UPDATE, 0, 0, b"\0\x10\0\0"),
        "the largest frames": settings(frame=2**24 - 1),
        "a confirmation of nothing": frame(SETTINGS, ACK),
    }.items():
        yield name, lambda s, o=odd: o + answer(s), lax, {}
    yield "a stream that depends on itself", lambda s: frame(
        PRIORITY, 0, s, struct.pack(">IB", s, 1)
    ) + answer(s), lax, {}
    yield "padding", lambda s: head(s) + frame(DATA, PADDED | END_STREAM, s, b"\x05hi" + bytes(5)), comes(
        b"hi"
    ), {}
    yield "a head of many frames", lambda s: b"".join(
        [frame(HEADERS, 0, s, block((":status", "200")))]
        + [frame(CONTINUATION, 0, s, block(("x-a", "b")))] * 5
        + [frame(CONTINUATION, END_HEADERS, s)]
    ) + data(s, b"hi"), either(comes(b"hi"), MALFORMED, "connection", "network"), {}
    yield "a body of frames of one byte", lambda s: head(s) + data(s, b"x", end=False) * 20_000 + data(
        s, b""
    ), either(comes(b"x" * 20_000), MALFORMED, "connection", "network"), {}
    yield "more than the window allows", lambda s: head(s) + data(s, b"x" * 16_000, end=False) * 5_000, fails(
        "body_too_large", MALFORMED, "connection", "network", "truncated_body"
    ), {"verb": False}


def silences():
    timeout = fails("timeout")
    quick = {"seconds": 1, "ending": "hold"}
    yield "silence", lambda s: b"", timeout, quick
    yield "silence behind the head", lambda s: head(s), timeout, quick
    yield "silence in the body", lambda s: head(s) + data(s, b"hel", end=False), timeout, quick
    yield "silence in a frame", lambda s: head(s)[:12], timeout, quick
    yield "silence in a head", lambda s: frame(HEADERS, 0, s, block((":status", "200"))), timeout, quick
    yield "a body in drips", lambda s: drip(data(s, b"x", end=False), head(s)), timeout, {"seconds": 1}
    yield "pings in drips", lambda s: drip(frame(PING, 0, 0, b"12345678")), timeout, {"seconds": 1}
    yield "headers in drips", lambda s: drip(
        frame(CONTINUATION, 0, s, block(("x-a", "b"))), frame(HEADERS, 0, s, block((":status", "200")))
    ), fails("timeout", MALFORMED, "connection"), {"seconds": 1}
    yield "no window for an upload", lambda s: settings(window=0), timeout, {
        "seconds": 1,
        "ending": "hold",
        "method": "POST",
        "upload": 200_000,
        "verb": False,
    }
    yield "a window of one byte for an upload", lambda s: drip(
        frame(WINDOW_UPDATE, 0, s, b"\0\0\0\1"), settings(window=0)
    ), timeout, {"seconds": 1, "method": "POST", "upload": 200_000, "verb": False}
    yield "an answer before the upload is read", lambda s: settings(window=0) + answer(s, b"early") + reset(
        s, 0
    ), either(comes(b"early"), "connection"), {"method": "POST", "upload": 200_000, "verb": False}
    yield "no streams allowed", lambda s: settings(streams=0) + answer(s), comes(b"hi"), {"ending": "close"}


def drip(piece, start=b""):
    yield start
    while True:
        yield piece
        yield 0.05


def cases():
    for group in (resets, partings, floods, heads, frames, silences):
        for name, play, outcome, options in group():
            for scheme in ("h2", "h2c"):
                # Without TLS the same code reads the frames: a part of them will do.
                if scheme == "h2c" and group not in (partings, silences):
                    continue
                yield Case(
                    f"HTTP/2{'' if scheme == 'h2' else ' without TLS'}: {name}",
                    play,
                    outcome,
                    scheme=scheme,
                    **options,
                )
