"""A server of answers that take memory; its first line of output is its address. It ends with its
parent.

  /bytes?n=N        N bytes of no type
  /json?n=N         a JSON list of N numbers
  /gzip?n=N&of=X    gzip of N times X, a JSON list unless of=…; sent with its small length
  /lists?n=N        a JSON list of N empty lists, gzipped
  /text?n=N&charset=C   N bytes of text in that charset
  /headers?n=N&size=S   N headers of S bytes
  /half?n=N         N bytes announced, all but the last sent, then nothing: it is never complete
"""
import ctypes
import signal
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

CHUNK = 1 << 20
made = {}
lock = threading.Lock()


def zipped(first, piece, count, last):
    """gzip of first, count times piece, last; made once."""
    key = (first, piece, count, last)
    with lock:
        if key not in made:
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            parts = [packer.compress(first)]
            block = piece * max(1, CHUNK // len(piece))
            per_block = max(1, CHUNK // len(piece))
            for _ in range(count // per_block):
                parts.append(packer.compress(block))
            parts.append(packer.compress(piece * (count % per_block)))
            parts += [packer.compress(last), packer.flush()]
            made[key] = b"".join(parts)
        return made[key]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Whoever was asking has been ended."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def start(self, length, **headers):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send(self, byte, count):
        block = byte * CHUNK
        for _ in range(count // CHUNK):
            self.wfile.write(block)
        self.wfile.write(byte * (count % CHUNK))

    def do_GET(self):
        try:
            self.answer()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_POST(self):
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0:
            left -= len(self.rfile.read(min(left, CHUNK)))
        self.do_GET()

    def answer(self):
        path, _, rest = self.path.partition("?")
        query = {name: values[0] for name, values in parse_qs(rest).items()}
        count = int(query.get("n", 0))
        kind = path.split("/")[1]
        if kind == "bytes":
            self.start(count, Content_Type="application/octet-stream")
            self.send(b"x", count)
        elif kind == "json":
            # Every page is another one.
            page = query.get("page", "1").encode()
            body = b"[" + b"1," * count + page + b"]"
            self.start(len(body), Content_Type="application/json")
            self.wfile.write(body)
        elif kind == "gzip":
            piece = query.get("of", "1,").encode()
            body = zipped(b"[", piece, count, b"1]")
            self.start(len(body), Content_Type=query.get("type", "application/json"),
                       Content_Encoding="gzip")
            self.wfile.write(body)
        elif kind == "lists":
            body = zipped(b"[", b"[],", count, b"1]")
            self.start(len(body), Content_Type="application/json", Content_Encoding="gzip")
            self.wfile.write(body)
        elif kind == "text":
            self.start(count, Content_Type="text/plain; charset=" + query.get("charset", "utf-8"))
            self.send(bytes([int(query.get("byte", 120))]), count)
        elif kind == "headers":
            value = "x" * int(query.get("size", 1000))
            self.start(2, **{f"X_{index}": value for index in range(count)})
            self.wfile.write(b"ok")
        elif kind == "half":
            self.start(count + 1, Content_Type="application/octet-stream")
            self.send(b"x", count)
            time.sleep(100)
        else:
            self.start(0)


def main():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    server = Server(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
