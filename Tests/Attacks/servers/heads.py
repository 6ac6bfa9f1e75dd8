"""Servers whose heads are not what they should be: status lines, headers, lengths, early answers."""

import random

from case import CHUNKED, OK, Case, comes, either, fails, forever, framed

MALFORMED = "malformed_response"
BODY = b"hello"


def reply(line, *headers, body=b"hi"):
    return framed(body, *headers, status="200 OK").replace(b"HTTP/1.1 200 OK", line, 1)


def status_lines():
    good = comes(b"hi")
    yield Case("every byte there is", bytes(range(256)), fails(MALFORMED), "close")
    yield Case("random bytes", random.Random(5).randbytes(5000), fails(MALFORMED), "close")
    yield Case("nothing at all", b"", fails("connection"), "close")
    yield Case("line breaks alone", b"\r\n" * 50, fails(MALFORMED, "connection"), "close")
    yield Case("zero bytes", b"\0" * 5000, fails(MALFORMED), "close")
    for name, line in {
        "half a version": b"HTTP/1",
        "a version alone": b"HTTP/1.1",
        "no status": b"HTTP/1.1 ",
        "letters for a status": b"HTTP/1.1 abc",
        "status 000": b"HTTP/1.1 000 A",
        "status 099": b"HTTP/1.1 099 A",
        "status of two digits": b"HTTP/1.1 20 OK",
        "status of four digits": b"HTTP/1.1 2000 OK",
        "a negative status": b"HTTP/1.1 -20 OK",
        "a status with a sign": b"HTTP/1.1 +200 OK",
        "a hexadecimal status": b"HTTP/1.1 0xc8 OK",
        "a status with a fraction": b"HTTP/1.1 20.0 OK",
        "a huge status": b"HTTP/1.1 99999999999999999999 OK",
        "version 9.9": b"HTTP/9.9 200 OK",
        "version 1.10": b"HTTP/1.10 200 OK",
        "version 11.1": b"HTTP/11.1 200 OK",
        "version -1": b"HTTP/-1.1 200 OK",
        "HTTP/3 over TCP": b"HTTP/3 200",
        "another protocol": b"RTSP/1.0 200 OK",
        "shoutcast": b"ICY 200 OK",
        "mail": b"220 smtp.example.com ESMTP",
        "a shell": b"SSH-2.0-OpenSSH_9.2",
        "HTTP in small letters": b"http/1.1 200 OK",
        "a space before": b" HTTP/1.1 200 OK",
        "a zero byte in the version": b"HTTP/1.\x001 200 OK",
    }.items():
        yield Case(name, reply(line), fails(MALFORMED))
    for name, line in {
        "no reason": b"HTTP/1.1 200",
        "an empty reason": b"HTTP/1.1 200 ",
        "a reason in another charset": b"HTTP/1.1 200 \xfft\xfe",
        "HTTP/1.0": b"HTTP/1.0 200 OK",
        "a reason of 90 KB": b"HTTP/1.1 200 " + b"x" * 90_000,
        "a reason with an escape": b"HTTP/1.1 200 \x1b[2J\x1b]0;owned\x07",
    }.items():
        yield Case(name, reply(line), good, "close")
    for name, line in {
        "two spaces": b"HTTP/1.1  200 OK",
        "a tab for a space": b"HTTP/1.1\t200 OK",
        "a zero byte in the reason": b"HTTP/1.1 200 O\0K",
        "HTTP/2 by name": b"HTTP/2 200",
        "a status glued to its reason": b"HTTP/1.1 200OK",
    }.items():
        yield Case(name, reply(line), either(good, MALFORMED), "close")
    yield Case("status 999", framed(b"hi", status="999 A"), comes(b"hi", 999))
    yield Case("status 600", framed(b"hi", status="600 A"), comes(b"hi", 600))
    yield Case("a status line of 200 KB", reply(b"HTTP/1.1 200 " + b"x" * 200_000), fails(MALFORMED), "close")
    yield Case("a status line without end", forever(b"x", b"HTTP/1.1 200 "), fails(MALFORMED))
    yield Case("bytes without end", forever(b"x"), fails(MALFORMED))
    yield Case("line breaks without end", forever(b"\r\n"), fails(MALFORMED))


def headers():
    def with_lines(*lines):
        return OK + b"\r\n".join(lines) + b"\r\nContent-Length: 2\r\n\r\nhi"

    good = comes(b"hi")
    for name, line in {
        "a header without colon": b"no colon",
        "a zero byte in a value": b"X-A: a\0b",
        "a zero byte in a name": b"X-\0A: b",
        "a header of 200 KB": b"X-A: " + b"a" * 200_000,
        "a name of 200 KB": b"a" * 200_000 + b": b",
    }.items():
        yield Case(name, with_lines(line), fails(MALFORMED), "close")
    for name, line in {
        "a header without name": b": x",
        "bytes beyond ASCII": b"X-A: \xff\xfe\x80",
        "a name beyond ASCII": b"X-\xff: b",
        "a header of 90 KB": b"X-A: " + b"a" * 90_000,
        "a folded header": b"X-A: a\r\n b\r\n\tc",
        "an escape in a value": b"X-A: \x1b[31m\x07\x9b",
        "a delete in a value": b"X-A: \x7f",
        "many colons": b"X-A::::",
        "a name of symbols": b"!#$%&'*: x",
        "an empty type": b"Content-Type: ",
        "a type that is none": b"Content-Type: ;;;=/",
        "a type of 50 KB": b"Content-Type: text/" + b"x" * 50_000,
        "a charset nobody knows": b"Content-Type: text/plain; charset=klingon",
        "parameters without end quote": b'Content-Type: text/plain; charset="',
        "dates that are none": b"Date: never\r\nExpires: -1\r\nLast-Modified: 0\r\nAge: -99999999999999999999",
        "a cache control that is none": b"Cache-Control: max-age=-1, max-age=99999999999999999999, =,,;",
        "an etag that is none": b'ETag: "\x01\xff',
        "a keep-alive that is none": b"Keep-Alive: timeout=-1, max=x",
        "another service": b"Alt-Svc: h3=\":1\"; ma=99999999999999999999",
        "links that are none": b'Link: <<<>;rel="next",,;"<',
        "a trailer announced": b"Trailer: Content-Length",
        "an upgrade announced": b"Connection: Upgrade\r\nUpgrade: h2c, websocket",
        "who are you": b'WWW-Authenticate: Basic realm="\xff", Digest , Negotiate ' + b"A" * 5000,
        "a cookie of 90 KB": b"Set-Cookie: a=" + b"x" * 90_000,
        "cookies that are none": b"Set-Cookie: \r\nSet-Cookie: =\r\nSet-Cookie: ;;;\r\nSet-Cookie: a=\x01",
        "a cookie for everybody": b"Set-Cookie: a=b; Domain=.; Path=; Max-Age=99999999999999999999",
    }.items():
        yield Case(name, with_lines(line), good)
    jar = "{ cookies = true }"
    yield Case(
        "three hundred cookies of 900 bytes for the jar",
        with_lines(*[b"Set-Cookie: c%d=" % n + b"x" * 900 for n in range(300)]),
        good,
        settings=jar,
    )
    yield Case(
        "odd cookies for the jar",
        with_lines(
            b"Set-Cookie: \r\nSet-Cookie: =b\r\nSet-Cookie: a=\x01\r\nSet-Cookie: __Host-a=b; Domain=x",
            b"Set-Cookie: a=b; Domain=com; Expires=Tue, 99 Foo 99999 99:99:99 GMT",
            b"Set-Cookie: a" + b"=" * 9000,
        ),
        good,
        settings=jar,
    )
    for name, lines in {
        "a first header that goes on": OK + b" folded\r\nContent-Length: 2\r\n\r\nhi",
        "a bare carriage return in a value": with_lines(b"X-A: a\rX-B: b"),
        "a space before the colon": with_lines(b"X-A : b"),
        "a space before the colon of the length": OK + b"Content-Length : 2\r\n\r\nhi",
        "a space within a name": with_lines(b"X A: b"),
    }.items():
        yield Case(name, lines, either(good, MALFORMED), "close")
    yield Case("line feeds alone", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", good)
    yield Case("ten thousand headers", with_lines(*[b"X-A: b"] * 10_000), good)
    yield Case("a header folded a thousand times", with_lines(b"X-A: b" + b"\r\n c" * 1000), good)
    yield Case(
        "two megabytes of headers",
        with_lines(*[b"X-A: " + b"b" * 1000] * 2000),
        fails(MALFORMED, words="oo large"),
        "close",
    )
    yield Case("headers without end", forever(b"X-A: b\r\n", OK), fails(MALFORMED))
    yield Case("cookies without end", forever(b"Set-Cookie: a=bbbbbbbbbbbbbbbbbbb\r\n", OK), fails(MALFORMED))
    yield Case("a header without end", forever(b"x", OK + b"X-A: "), fails(MALFORMED))
    yield Case("a name without end", forever(b"x", OK), fails(MALFORMED))
    yield Case("folds without end", forever(b"\r\n b", OK + b"X-A: b"), fails(MALFORMED))


def lengths():
    def length(*values, body=BODY):
        return OK + b"".join(b"Content-Length: %b\r\n" % value for value in values) + b"\r\n" + body

    for name, value in {
        "negative": b"-5",
        "in words": b"five",
        "with a sign": b"+5",
        "hexadecimal": b"0x05",
        "with a fraction": b"5.0",
        "with an exponent": b"5e0",
        "with words behind": b"5 bytes",
        "beyond counting": b"9" * 40,
        "one beyond counting": b"9223372036854775808",
        "2 to the 64th and five": b"18446744073709551621",
        "empty": b"",
        "two in one header": b"5, 3",
        "a comma behind": b"5,",
        "a comma before": b",5",
        "in quotes": b'"5"',
        "in Arabic": "٥".encode(),
        "of digits by the thousand": b"1" * 5000,
        "with a space within": b"0 5",
        "with semicolon": b"5;5",
    }.items():
        yield Case(f"a length {name}", length(value), fails(MALFORMED, words="Content-Length"))
    yield Case("one length twice in one header", length(b"5, 5"), comes(BODY))
    yield Case("one length twice", length(b"5", b"5"), comes(BODY))
    yield Case("two lengths", length(b"5", b"3"), fails(MALFORMED, words="Content-Length"))
    yield Case("a length with zeros before it", length(b"000000000000000000000000005"), comes(BODY))
    yield Case("a length and spaces", length(b"  5 \t "), comes(BODY))
    yield Case("a length over two lines", OK + b"Content-Length: 5\r\n 5\r\n\r\nhello", fails(MALFORMED))
    yield Case(
        "a length that begins in its next line", OK + b"Content-Length:\r\n 5\r\n\r\nhello", fails(MALFORMED)
    )
    yield Case("a length beyond the limit", length(b"9000000000000000000"), fails("body_too_large"))
    yield Case(
        "a length beyond the limit, and silence", length(b"200000000", body=b""), fails("body_too_large")
    )
    yield Case("more was promised", length(b"10"), fails("truncated_body"), "close")
    yield Case("more was promised, nothing came", length(b"10", body=b""), fails("truncated_body"), "close")
    yield Case("less was promised", length(b"2"), comes(b"he"))
    yield Case("nothing was promised", length(b"0"), comes(b""))
    yield Case("no length", OK + b"\r\nhello", comes(BODY), "close")
    yield Case("no length, HTTP/1.0", b"HTTP/1.0 200 OK\r\n\r\nhello", comes(BODY), "close")
    yield Case("a body that never comes", length(b"5", body=b""), fails("timeout"), "hold", seconds=1)
    yield Case(
        "a second answer behind the first", framed(b"hi") + framed(b"poison", "X-Poison: 1"), comes(b"hi")
    )
    yield Case("a second answer in the body's place", length(b"0", body=framed(b"poison")), comes(b""))
    yield Case("a body behind 204", b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", comes(b"", 204))
    yield Case(
        "chunks behind 204",
        b"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        comes(b"", 204),
    )
    yield Case(
        "a length that is none behind 204", b"HTTP/1.1 204 No\r\nContent-Length: +5\r\n\r\n", comes(b"", 204)
    )
    yield Case("a body behind 205", b"HTTP/1.1 205 Reset\r\nContent-Length: 5\r\n\r\nhello", comes(BODY, 205))
    yield Case(
        "a 304 nobody asked for",
        b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n",
        fails("no_local_data_for_304"),
    )
    yield Case(
        "a body behind 304",
        b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nhello",
        fails("no_local_data_for_304"),
    )
    yield Case("HEAD with a body", framed(b"hello"), comes(b""), method="HEAD", verb=False)
    yield Case(
        "HEAD with chunks", CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", comes(b""), method="HEAD", verb=False
    )
    yield Case("HEAD of a huge length", framed(b"", length=10**15), comes(b""), method="HEAD", verb=False)


def informational():
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
    yield Case("100 unasked", b"HTTP/1.1 100 Continue\r\n\r\n" + framed(b"hi"), comes(b"hi"))
    yield Case("102 many times", b"HTTP/1.1 102 Processing\r\n\r\n" * 500 + framed(b"hi"), comes(b"hi"))
    yield Case("103 two thousand times", early * 2000 + framed(b"hi"), comes(b"hi"))
    yield Case(
        "100 with a length",
        b"HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n" + framed(b"hi"),
        comes(b"hi"),
    )
    yield Case(
        "100 with a length that is none",
        b"HTTP/1.1 100 C\r\nContent-Length: x\r\n\r\n" + framed(b"hi"),
        either(comes(b"hi"), MALFORMED),
        "close",
    )
    yield Case("199", b"HTTP/1.1 199 A\r\n\r\n" + framed(b"hi"), comes(b"hi"))
    yield Case(
        "101 unasked",
        b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n" + framed(b"hi"),
        fails(MALFORMED, words="101"),
        "close",
    )
    yield Case("100 without end", forever(b"HTTP/1.1 100 Continue\r\n\r\n"), fails(MALFORMED))
    yield Case("103 without end", forever(early), fails(MALFORMED))


def cases():
    for group in (status_lines, headers, lengths, informational):
        yield from group()
