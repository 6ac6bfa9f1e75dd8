"""The server of credentials_spec.lua: asks for digests, has a clock of its own, listens at a socket too.

credentials_server.py FOLDER prints the number of its port, and of another one that is another origin; its
socket is FOLDER/server.sock. At /quit, or with the program that started it, it ends, and the folder is gone.
What it does is in the path: /digest/ALGORITHM/QOP/USES/…, /skew/SECONDS/…, /to/STATUS?URL, /renewed/… (which
takes no token for the first time), /seen; anything else it echoes.
"""

import datetime
import hashlib
import http.server
import json
import os
import re
import secrets
import shutil
import socketserver
import sys
import threading
import urllib.parse

USER, PASSWORD, REALM = "ann", "s3cr3t", 'a "realm"'
KINDS = {
    "MD5": hashlib.md5, "SHA-256": hashlib.sha256, "SHA-256-sess": hashlib.sha256,
    "SHA-512-256": lambda data: hashlib.new("sha512_256", data),
}
nonces, rejected, seen, lock = {}, {}, [], threading.Lock()
ended = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "somebody"

    def answer(self, status, body=b"", headers=()):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_expect_100(self):
        # Who is to be asked for a password first need not send the rest.
        if self.path.startswith("/digest/") and "authorization" not in self.headers:
            self.close_connection = True
            self.serve(b"")
            return False
        return super().handle_expect_100()

    def handle_method(self):
        self.serve(self.rfile.read(int(self.headers.get("content-length") or 0)))

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_method

    def serve(self, body):
        said = self.headers.get("authorization", "")
        parts = self.path.split("?")[0].split("/")
        if self.path == "/quit":
            ended.set()
            return self.answer(204)
        if self.path == "/seen":
            with lock:
                body = json.dumps(seen).encode()
                seen.clear()
            return self.answer(200, body, [("Content-Type", "application/json")])
        with lock:
            seen.append({
                "method": self.command, "path": self.path, "scheme": said.split(" ")[0], "length": len(body),
                "count": next(iter(re.findall(r"nc=(\w+)", said)), ""), "host": self.headers.get("host"),
            })
        if parts[1] == "to":
            return self.answer(int(parts[2]), b"", [("Location", urllib.parse.unquote(self.path.split("?", 1)[1]))])
        if parts[1] == "digest" and not self.is_known(parts[2], parts[3], int(parts[4]), said, body):
            return None
        if parts[1] == "skew":
            now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(parts[2]))
            date = self.headers.get("x-amz-date", "")
            given = datetime.datetime.strptime(date + "+0000", "%Y%m%dT%H%M%SZ%z")
            headers = [("Date", now.strftime("%a, %d %b %Y %H:%M:%S GMT"))]
            if abs((now - given).total_seconds()) > 300:
                return self.answer(403, b"RequestTimeTooSkewed", headers)
        if parts[1] == "renewed" and rejected.setdefault(self.path, said) == said:
            return self.answer(401)
        echo = {
            "method": self.command, "path": self.path, "length": len(body), "text": body[:2000].decode("latin-1"),
            "sha256": hashlib.sha256(body).hexdigest(), "headers": {k.lower(): v for k, v in self.headers.items()},
        }
        return self.answer(200, json.dumps(echo).encode(), [("Content-Type", "application/json")])

    def is_known(self, name, qop, uses, said, body):
        def digest(text):
            return KINDS[name](text if isinstance(text, bytes) else text.encode()).hexdigest()

        given = {
            key.lower(): re.sub(r"\\(.)", r"\1", quoted) or plain
            for key, quoted, plain in re.findall(r'([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', said)
        }
        nonce = given.get("nonce")
        with lock:
            state = nonces.get(nonce)
            is_stale = False
            if state is not None:
                count = int(given.get("nc", "0"), 16)
                is_stale = count in state["counts"] or len(state["counts"]) >= uses
                state["counts"].add(count)
        if state is not None and not is_stale and given.get("uri") == self.path:
            secret = digest(f"{USER}:{REALM}:{PASSWORD}")
            if name.endswith("-sess"):
                secret = digest(f"{secret}:{nonce}:{given['cnonce']}")
            what = f"{self.command}:{self.path}" + (f":{digest(body)}" if qop == "auth-int" else "")
            wanted = digest(f"{secret}:{nonce}:{given['nc']}:{given['cnonce']}:{qop}:{digest(what)}")
            if wanted == given.get("response") and given.get("username") == USER:
                return True
        nonce = secrets.token_hex(12)
        nonces[nonce] = {"counts": set()}
        realm = REALM.replace('"', '\\"')
        stale = ", stale=true" if is_stale else ""
        self.answer(401, b"", [
            ("WWW-Authenticate", 'Basic realm="x"'),
            ("WWW-Authenticate", f'Digest realm="{realm}", nonce="{nonce}", qop="{qop}", algorithm={name}{stale}')])
        return False


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class SocketServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("socket", 0)


folder = sys.argv[1]
servers = [Server(("127.0.0.1", 0), Handler), Server(("127.0.0.1", 0), Handler)]
servers.append(SocketServer(os.path.join(folder, "server.sock"), Handler))
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(servers[0].server_port, servers[1].server_port, flush=True)
parent = os.getppid()
while not ended.wait(0.2) and os.getppid() == parent:
    pass
shutil.rmtree(folder, ignore_errors=True)
os._exit(0)
