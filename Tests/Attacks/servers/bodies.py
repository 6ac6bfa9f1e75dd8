"""Servers whose bodies are not what they should be: chunks, codings, bombs, content of no type."""

import gzip
import struct
import zlib

import brotli
import zstandard

from case import CHUNKED, OK, Case, comes, either, fails, forever, framed

MALFORMED = "malformed_response"
BODY = b"hello"
TEXT = b"What a server says is to be believed only as far as it holds together. " * 40


def chunks():
    def sized(size, data=BODY, end=b"0\r\n\r\n"):
        return CHUNKED + size + b"\r\n" + data + b"\r\n" + end

    for name, size in {
        "that is no number": b"zz",
        "negative": b"-5",
        "with a sign": b"+5",
        "beyond counting": b"f" * 17,
        "far beyond counting": b"f" * 5000,
        "hexadecimal by name": b"0x5",
        "that is empty": b"",
        "with a space before": b" 5",
        "one beyond counting": b"8000000000000000",
    }.items():
        yield Case(f"a chunk size {name}", sized(size), fails(MALFORMED, "truncated_body"), "close")
    yield Case(
        "a chunk as large as can be counted", sized(b"7fffffffffffffff"), fails("truncated_body"), "close"
    )
    for name, size in {
        "an extension": b"5;a=b",
        "an extension of 15 KB": b"5;" + b"x" * 15_000,
        "zeros before a size": b"0005",
        "capital letters": b"5",
        "a space behind a size": b"5 ",
    }.items():
        yield Case(name, sized(size), comes(BODY))
    yield Case("a size that is too small", sized(b"2"), fails(MALFORMED))
    yield Case("a size that is too large", sized(b"ff"), fails("truncated_body"), "close")
    yield Case("no last chunk", CHUNKED + b"5\r\nhello\r\n", fails("truncated_body"), "close")
    yield Case("half a last chunk", CHUNKED + b"5\r\nhello\r\n0", fails("truncated_body"), "close")
    yield Case(
        "no line break behind the last chunk",
        CHUNKED + b"5\r\nhello\r\n0\r\n",
        either(comes(BODY), "truncated_body"),
        "close",
    )
    yield Case("no line break behind a chunk", CHUNKED + b"5\r\nhello0\r\n\r\n", fails(MALFORMED), "close")
    yield Case(
        "line feeds between chunks", CHUNKED + b"5\nhello\n0\n\n", either(comes(BODY), MALFORMED), "close"
    )
    yield Case("a trailer", sized(b"5", end=b"0\r\nX-A: b\r\n\r\n"), comes(BODY))
    yield Case(
        "a trailer that is a status",
        sized(b"5", end=b"0\r\nHTTP/1.1 500 No\r\n\r\n"),
        either(comes(BODY), MALFORMED),
        "close",
    )
    yield Case(
        "a trailer that is a length",
        sized(b"5", end=b"0\r\nContent-Length: 3\r\nLocation: /x\r\nContent-Encoding: gzip\r\n\r\n"),
        comes(BODY),
    )
    yield Case("trailers without end", forever(b"X-A: b\r\n", CHUNKED + b"0\r\n"), fails(MALFORMED))
    yield Case("a trailer without end", forever(b"x", CHUNKED + b"0\r\nX-A: "), fails(MALFORMED))
    yield Case(
        "an extension without end", forever(b"x", CHUNKED + b"5;"), fails("timeout", MALFORMED), seconds=1
    )
    yield Case("zeros of a size without end", forever(b"0", CHUNKED), fails("timeout", MALFORMED), seconds=1)
    yield Case("chunks without end", forever(b"5\r\nhello\r\n", CHUNKED), fails("body_too_large"), verb=False)
    yield Case("chunks of one byte", CHUNKED + b"1\r\nx\r\n" * 100_000 + b"0\r\n\r\n", comes(b"x" * 100_000))
    for name, coding in {
        "an unknown coding": b"rot13",
        "gzip nobody asked for": b"gzip, chunked",
        "chunked misspelled": b"xchunked",
        "chunked as a part of a word": b"chunkedx",
        "gzip alone": b"gzip",
    }.items():
        yield Case(
            f"a transfer with {name}",
            OK + b"Transfer-Encoding: %b\r\n\r\n5\r\nhello\r\n0\r\n\r\n" % coding,
            fails(MALFORMED, words="Transfer-Encoding"),
        )
    body = b"5\r\nhello\r\n0\r\n\r\n"
    yield Case(
        "a transfer chunked in capitals", OK + b"Transfer-Encoding: CHUNKED\r\n\r\n" + body, comes(BODY)
    )
    yield Case(
        "a transfer chunked twice",
        OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + body,
        either(comes(BODY), MALFORMED),
        "close",
    )
    yield Case(
        "a transfer header over two lines",
        OK + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + body,
        fails(MALFORMED),
    )
    yield Case("chunks and a length", CHUNKED[:-2] + b"Content-Length: 3\r\n\r\n" + body, comes(BODY))
    yield Case(
        "a length and chunks",
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
        comes(BODY),
    )
    yield Case(
        "chunks and a length that is none",
        CHUNKED[:-2] + b"Content-Length: +3\r\n\r\n" + body,
        fails(MALFORMED),
    )
    yield Case(
        "chunks of HTTP/1.0", CHUNKED.replace(b"1.1", b"1.0") + body, either(comes(BODY), MALFORMED), "close"
    )


def zeros(size, coder):
    """That many bytes of nothing, coded."""
    block = bytes(1 << 20)
    parts = [
        coder.compress(block) if hasattr(coder, "compress") else coder.process(block)
        for _ in range(size >> 20)
    ]
    return b"".join(parts) + (coder.flush() if hasattr(coder, "flush") else coder.finish())


def codings():
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    coded = {
        "gzip": gzip.compress(TEXT),
        "deflate": zlib.compress(TEXT),
        "deflate ": raw.compress(TEXT) + raw.flush(),
        "br": brotli.compress(TEXT),
        "zstd": zstandard.ZstdCompressor(write_checksum=True).compress(TEXT),
    }
    for name, body in coded.items():
        header = f"Content-Encoding: {name.strip()}"
        name = name.replace(" ", " without its head")
        yield Case(f"{name}, whole", framed(body, header), comes(TEXT))
        for part in (1, len(body) // 2, len(body) - 1):
            yield Case(
                f"{name}, {part} bytes of {len(body)}",
                framed(body[:part], header),
                fails("truncated_body", words="is truncated"),
            )
        yield Case(
            f"{name}, cut, without a length",
            OK + f"{header}\r\n\r\n".encode() + body[:-5],
            fails("truncated_body"),
            "close",
        )
        yield Case(
            f"{name}, cut, in chunks",
            CHUNKED[:-2]
            + f"{header}\r\n\r\n".encode()
            + b"%x\r\n" % len(body[:-5])
            + body[:-5]
            + b"\r\n0\r\n\r\n",
            fails("truncated_body"),
        )
        yield Case(f"{name}, something behind it", framed(body + b"rubbish", header), comes(TEXT))
        yield Case(f"{name}, nothing of it", framed(b"", header), comes(b""))
        yield Case(
            f"{name} that is none",
            framed(b"\x00\x01\x02 not at all" * 50, header),
            fails(MALFORMED, "truncated_body"),
        )
        yield Case(
            f"{name}, announced for HEAD",
            framed(b"", header, length=len(body)),
            comes(b""),
            method="HEAD",
            verb=False,
        )
    yield Case(
        "gzip, a wrong checksum",
        framed(coded["gzip"][:-8] + b"\0" * 8, "Content-Encoding: gzip"),
        fails(MALFORMED),
    )
    yield Case("gzip, two members", framed(coded["gzip"] * 2, "Content-Encoding: gzip"), comes(TEXT * 2))
    yield Case(
        "gzip, the second member cut",
        framed((coded["gzip"] * 2)[:-1], "Content-Encoding: gzip"),
        fails("truncated_body"),
    )
    empty = gzip.compress(b"")
    yield Case(
        "gzip, a hundred thousand empty members",
        framed(empty * 100_000, "Content-Encoding: gzip"),
        comes(b""),
        seconds=30,
    )
    yield Case("zstd, two frames", framed(coded["zstd"] * 2, "Content-Encoding: zstd"), comes(TEXT * 2))
    skipped = b"\x50\x2a\x4d\x18" + struct.pack("<I", 1000) + bytes(1000)
    yield Case(
        "zstd, frames to skip", framed(skipped * 500 + coded["zstd"], "Content-Encoding: zstd"), comes(TEXT)
    )
    yield Case(
        "zstd, a frame to skip that never ends",
        framed(b"\x50\x2a\x4d\x18\xff\xff\xff\xff" + bytes(1000), "Content-Encoding: zstd"),
        fails("truncated_body"),
    )
    yield Case(
        "zstd, a window of gigabytes",
        framed(b"\x28\xb5\x2f\xfd\x00\xa8" + bytes(100), "Content-Encoding: zstd"),
        fails(MALFORMED),
    )
    wide = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    ).compressobj()
    yield Case(
        "zstd, a window of 128 MB",
        framed(wide.compress(bytes(1000)) + wide.flush(), "Content-Encoding: zstd"),
        either(comes(), MALFORMED),
    )
    yield Case(
        "br, a window of a gigabyte",
        framed(b"\x11\x3e" + bytes(200), "Content-Encoding: br"),
        fails(MALFORMED, "truncated_body"),
    )
    for name in ("secret", "utf-8", "gzip-ish", "\x1b[2J", "gzip, secret"):
        yield Case(f"a plain body called {name!r}", framed(b"hi", f"Content-Encoding: {name}"), comes(b"hi"))
    twice = gzip.compress(gzip.compress(TEXT))
    yield Case("gzip twice", framed(twice, "Content-Encoding: gzip, gzip"), comes(TEXT))
    yield Case(
        "gzip twice, cut",
        framed(twice[:-9], "Content-Encoding: gzip", "Content-Encoding: gzip"),
        fails("truncated_body"),
    )
    yield Case(
        "gzip, then br",
        framed(brotli.compress(gzip.compress(TEXT)), "Content-Encoding: gzip, br"),
        comes(TEXT),
    )
    inner = gzip.compress(TEXT)[:-3]
    yield Case(
        "gzip cut, then gzip",
        framed(gzip.compress(inner), "Content-Encoding: gzip, gzip"),
        fails("truncated_body"),
    )
    many = b"hi"
    for _ in range(30):
        many = gzip.compress(many)
    yield Case(
        "gzip thirty times",
        framed(many, "Content-Encoding: " + ", ".join(["gzip"] * 30)),
        fails(MALFORMED, words="encodings"),
    )
    bombs = {
        "gzip": zeros(300 << 20, zlib.compressobj(9, zlib.DEFLATED, 31)),
        "deflate": zeros(300 << 20, zlib.compressobj(9)),
        "br": zeros(300 << 20, brotli.Compressor(quality=5)),
        "zstd": zeros(300 << 20, zstandard.ZstdCompressor().compressobj()),
    }
    for name, body in bombs.items():
        yield Case(
            f"a bomb of {name}",
            framed(body, f"Content-Encoding: {name}"),
            fails("body_too_large"),
            verb=False,
        )
    nested = gzip.compress(bombs["gzip"])
    yield Case(
        "a bomb in a bomb",
        framed(nested, "Content-Encoding: gzip, gzip"),
        fails("body_too_large"),
        verb=False,
    )
    # What comes out between the two codings is work without end, though nothing is kept of it.
    late = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = late.compress(gzip.compress(TEXT)) + zeros(300 << 20, late)
    yield Case(
        "a bomb behind the end of the inner coding",
        framed(body, "Content-Encoding: gzip, gzip"),
        fails("body_too_large"),
        verb=False,
    )
    yield Case("a body without end", forever(b"x", OK + b"\r\n"), fails("body_too_large"), verb=False)


def contents():
    def json(body):
        return framed(body, "Content-Type: application/json")

    parsed = "{ standard_transformers = { 'json', 'text' } }"
    for name, body in {
        "cut": b'{"a": [1, 2',
        "too deep": b"[" * 100_000 + b"]" * 100_000,
        "that is none": b"\x00\xff",
        "with a broken character": b'"\xff"',
        "with half a pair": b'"\\ud800"',
        "of nothing but spaces": b" " * 100_000,
        "twice": b"{} {}",
    }.items():
        yield Case(
            f"JSON {name}", json(body), fails("malformed_json"), settings=parsed, memory=96, verb=False
        )
    # Such a number keeps its digits. (JSN-160)
    huge = b"1e999999"
    yield Case("JSON with a huge exponent", json(huge), comes(huge), settings=parsed, verb=False)


def cases():
    for group in (chunks, codings, contents):
        yield from group()
