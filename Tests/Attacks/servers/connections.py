"""Servers that end, rest, lead astray, or speak something else: closes, resets, silence, redirects, TLS."""

import random

from case import CHUNKED, OK, Case, comes, dripping, either, fails, forever, framed

MALFORMED = "malformed_response"
BODY = b"hello"


def ends():
    cut = {
        "before the answer": b"",
        "in the status line": b"HTTP/1.1 20",
        "behind the status line": OK,
        "in a header": OK + b"Content-Le",
        "behind a header": OK + b"Content-Length: 5\r\n",
        "behind 100": b"HTTP/1.1 100 Continue\r\n\r\n",
    }
    for name, start in cut.items():
        yield Case(f"a close {name}", start, fails("connection", MALFORMED), "close")
        yield Case(f"a reset {name}", start, fails("connection", MALFORMED), "reset")
    for name, start in {
        "in the body": OK + b"Content-Length: 10\r\n\r\nhello",
        "in a chunk": CHUNKED + b"9\r\nhello",
        "between chunks": CHUNKED + b"5\r\nhello\r\n",
        "in a chunk size": CHUNKED + b"5\r\nhello\r\n1",
        "in a trailer": CHUNKED + b"5\r\nhello\r\n0\r\nX-A: b",
    }.items():
        yield Case(f"a close {name}", start, fails("truncated_body"), "close")
        yield Case(f"a reset {name}", start, fails("truncated_body"), "reset")
    yield Case("a reset in a body without length", OK + b"\r\nhello", fails("truncated_body"), "reset")
    yield Case(
        "an answer before the upload is read",
        framed(b"early", "Connection: close"),
        either(comes(b"early"), "connection"),
        "close",
        method="POST",
        upload=5 << 20,
        verb=False,
    )
    yield Case(
        "a reset in the upload", b"", fails("connection"), "reset", method="POST", upload=5 << 20, verb=False
    )
    yield Case(
        "a close in the upload", b"", fails("connection"), "close", method="POST", upload=5 << 20, verb=False
    )
    yield Case(
        "an upload that nobody reads",
        b"",
        fails("timeout"),
        "hold",
        method="POST",
        upload=20 << 20,
        seconds=1,
        memory=160,
        verb=False,
    )
    yield Case(
        "100 to an upload, then silence",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        fails("timeout"),
        "hold",
        method="POST",
        upload=10,
        seconds=1,
        verb=False,
    )


def slow():
    timeout = fails("timeout")
    yield Case("silence", b"", timeout, "hold", seconds=1)
    yield Case("silence among the headers", OK + b"X-A: b\r\n", timeout, "hold", seconds=1)
    yield Case("silence in the body", framed(b"hel", length=5), timeout, "hold", seconds=1)
    yield Case("silence between chunks", CHUNKED + b"5\r\nhello\r\n", timeout, "hold", seconds=1)
    yield Case("silence in a body without length", OK + b"\r\nhello", timeout, "hold", seconds=1)
    yield Case("headers in drips", dripping(b"X-A: b\r\n", OK), timeout, seconds=1)
    yield Case("a header in drips", dripping(b"x", OK + b"X-A: "), timeout, seconds=1)
    yield Case("a status line in drips", dripping(b"x", b"HTTP/1.1 200 "), timeout, seconds=1)
    yield Case("a body in drips", dripping(b"x", framed(b"", length=100_000)), timeout, seconds=1)
    yield Case("chunks in drips", dripping(b"1\r\nx\r\n", CHUNKED), timeout, seconds=1)
    yield Case("trailers in drips", dripping(b"X-A: b\r\n", CHUNKED + b"0\r\n"), timeout, seconds=1)
    yield Case("100 in drips", dripping(b"HTTP/1.1 100 Continue\r\n\r\n"), timeout, seconds=1)
    yield Case(
        "an answer of one byte a packet",
        lambda _: [piece for byte in framed(b"hi") for piece in (bytes([byte]), 0.002)],
        comes(b"hi"),
    )
    yield Case(
        "a redirect to silence", framed(b"", "Location: /silence", status="302 Found"), timeout, seconds=1
    )


def redirects():
    def to(location, status="302 Found", body=b""):
        return framed(body, f"Location: {location}", status=status)

    yield Case("a redirect to itself", to(""), comes(b"", 302))
    yield Case(
        "a redirect that loops", to("/a redirect that loops".replace(" ", "%20")), fails("too_many_redirects")
    )
    yield Case(
        "a loop over 307",
        to("/a loop over 307".replace(" ", "%20"), "307 Again"),
        fails("too_many_redirects"),
        method="POST",
        upload=1000,
        verb=False,
    )
    yield Case("an empty Location", to("", "301 Moved", b"here"), comes(b"here", 301))
    yield Case("a Location of spaces", to("  \t ", "308 Moved", b"here"), comes(b"here", 308))
    yield Case("no Location", framed(b"here", status="302 Found"), comes(b"here", 302))
    for name, target in {
        "files": "file:///etc/passwd",
        "mail": "mailto:a@b",
        "a script": "javascript:alert(1)",
        "gopher": "gopher://127.0.0.1:1/_x",
        "ftp": "ftp://127.0.0.1/",
        "data": "data:,hi",
        "no port": "http://127.0.0.1:999999/",
        "a port of words": "http://127.0.0.1:port/",
        "no host": "http:///x",
        "an open bracket": "http://[::1/",
        "dict": "dict://127.0.0.1:11211/stats",
    }.items():
        yield Case(f"a redirect to {name}", to(target), fails(MALFORMED, "invalid_url", "connection", "dns"))
    yield Case("a redirect to a closed port", to("http://127.0.0.1:9/"), fails("connection"))
    yield Case("a redirect to nobody", to("http://nobody.invalid/"), fails("dns"))
    yield Case(
        "a redirect of 90 KB", to("/" + "x" * 90_000), either(comes(), MALFORMED, "connection"), "close"
    )
    yield Case(
        "a redirect in another charset",
        framed(b"", status="302 Found", length=0).replace(b"\r\n\r\n", b"\r\nLocation: /\xff\xfe\r\n\r\n"),
        either(comes(), MALFORMED),
    )
    yield Case("a redirect with a line break in it", to("/fine%0d%0aX-Injected:%20yes"), comes())
    yield Case("a redirect with an escape", to("/fine\x1b[2J"), either(comes(), MALFORMED))
    yield Case(
        "a redirect with an endless body",
        forever(b"x", b"HTTP/1.1 302 Found\r\nLocation: /fine\r\n\r\n"),
        fails("body_too_large"),
        verb=False,
    )
    yield Case(
        "a redirect with a body that breaks off",
        b"HTTP/1.1 302 Found\r\nLocation: /fine\r\nContent-Length: 10\r\n\r\nhi",
        fails("truncated_body", "connection"),
        "close",
    )
    yield Case(
        "a redirect with gzip that is none",
        framed(b"not gzip", "Location: /fine", "Content-Encoding: gzip", status="302 Found"),
        comes(b"fine"),
    )
    yield Case(
        "two Locations",
        framed(b"", "Location: /fine", "Location: /silence", status="302 Found"),
        comes(b"fine"),
    )
    yield Case("300 with a Location", to("/silence", "300 Many", b"choose"), comes(b"choose", 300))
    yield Case("304 with a Location", to("/silence", "304 Same"), fails("no_local_data_for_304"))
    yield Case("305 with a Location", to("http://127.0.0.1:9/", "305 Proxy", b"no"), comes(b"no", 305))
    yield Case("200 with a Location", to("/silence", "200 OK", b"here"), comes(b"here"))


def protocols():
    yield Case("TLS where there is none", b"\x16\x03\x03\x00\x7a\x02" + bytes(120), fails(MALFORMED), "close")
    yield Case("a TLS alert", b"\x15\x03\x03\x00\x02\x02\x28", fails(MALFORMED, "connection"), "close")
    yield Case("HTTP/2 unasked", b"\x00\x00\x00\x04\x00\x00\x00\x00\x00" * 3, fails(MALFORMED), "close")
    yield Case("a WebSocket", b"\x81\x05hello", fails(MALFORMED, "connection"), "close")
    yield Case("a request for an answer", b"GET / HTTP/1.1\r\nHost: you\r\n\r\n", fails(MALFORMED), "close")


def tls():
    broken = fails("tls", "connection")
    raw = {"scheme": "raw", "seconds": 2}
    yield Case("TLS: silence", b"", fails("timeout"), "hold", **raw)
    yield Case("TLS: a close", b"", fails("connection"), "close", **raw)
    yield Case("TLS: a reset", b"", fails("connection"), "reset", **raw)
    yield Case("TLS: plain HTTP", framed(b"hi"), broken, "close", **raw)
    yield Case("TLS: an alert", b"\x15\x03\x03\x00\x02\x02\x28", broken, "close", **raw)
    yield Case("TLS: random bytes", random.Random(6).randbytes(5000), broken, "close", **raw)
    yield Case("TLS: zero bytes", bytes(5000), broken, "close", **raw)
    yield Case(
        "TLS: half a greeting",
        b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03" + bytes(40),
        broken,
        "close",
        **raw,
    )
    yield Case(
        "TLS: a greeting of bytes that mean nothing",
        b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76" + b"\xff" * 118,
        broken,
        "close",
        **raw,
    )
    yield Case("TLS: a greeting in drips", dripping(b"\x16"), fails("timeout", "tls", "connection"), **raw)
    yield Case(
        "TLS: greetings without end", forever(b"\x16\x03\x03\x40\x00\x02" + bytes(16383)), broken, **raw
    )
    yield Case("TLS: a certificate nobody trusts", framed(b"hi"), fails("tls"), scheme="https", trusts=False)
    secure = {"scheme": "https"}
    yield Case("TLS: an answer", framed(b"hi"), comes(b"hi"), **secure)
    yield Case("TLS: more was promised", framed(b"hi", length=5), fails("truncated_body"), "close", **secure)
    yield Case(
        "TLS: more was promised, cut", framed(b"hi", length=5), fails("truncated_body"), "cut", **secure
    )
    yield Case("TLS: no length", OK + b"\r\nhello", comes(BODY), "close", **secure)
    # Anybody on the way can end a connection: without close_notify the body may be a part.
    yield Case("TLS: no length, cut", OK + b"\r\nhello", fails("truncated_body"), "cut", **secure)
    yield Case(
        "TLS: no length, cut, which is allowed",
        OK + b"\r\nhello",
        comes(BODY),
        "cut",
        settings="{ allow_truncated = true }",
        verb=False,
        **secure,
    )
    yield Case("TLS: a length, cut behind it", framed(b"hi"), comes(b"hi"), "cut", **secure)
    yield Case("TLS: chunks, cut", CHUNKED + b"5\r\nhello\r\n", fails("truncated_body"), "cut", **secure)
    yield Case(
        "TLS: a reset in the body", framed(b"hi", length=5), fails("truncated_body"), "reset", **secure
    )
    yield Case("TLS: silence behind the greeting", b"", fails("timeout"), "hold", scheme="https", seconds=1)


def cases():
    for group in (ends, slow, redirects, protocols, tls):
        yield from group()
