"""Serves the cases, each at a path with its name, and `/fine` to everybody: HTTP/1 and HTTP/2, with and
without TLS, each at a port of its own."""

import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote, unquote

from case import framed

LONGEST = 60


class Server:
    """
    Ports by scheme: `http` and `https` for HTTP/1, `h2c` and `h2` for HTTP/2 without and with TLS. A case
    of `raw` begins with the connection and not with a request, where TLS is expected; it has its port
    for itself.
    """

    def __init__(self, cases):
        self.cases = cases
        self.folder = tempfile.TemporaryDirectory()
        self.certificate = Path(self.folder.name) / "server.pem"
        self.make_certificate()
        self.ports, self.listeners = {}, []
        self.serve("http", self.speak)
        self.serve("https", self.speak, ["http/1.1"])
        # Here, since that module needs this one's connection.
        import http2

        self.serve("h2c", lambda connection: http2.speak(connection, self.cases))
        self.serve("h2", lambda connection: http2.speak(connection, self.cases), ["h2"])

    def add(self, case):
        self.cases[case.name] = case

    def url(self, case):
        if case.scheme == "raw" and case.name not in self.ports:
            self.serve(case.name, lambda connection: (play(connection, case), end(connection, case.ending)))
        port = self.ports[case.name if case.scheme == "raw" else case.scheme]
        scheme = "http" if case.scheme in ("http", "h2c") else "https"
        return f"{scheme}://127.0.0.1:{port}/{quote(case.name, safe='')}"

    def close(self):
        for listener in self.listeners:
            listener.close()
        self.folder.cleanup()

    def make_certificate(self):
        key = Path(self.folder.name) / "key.pem"
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-keyout",
                key,
                "-out",
                self.certificate,
                "-days",
                "2",
                "-subj",
                "/CN=127.0.0.1",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.key = key

    def serve(self, scheme, speak, protocols=None):
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.ports[scheme] = listener.getsockname()[1]
        self.listeners.append(listener)
        context = None
        if protocols:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate, self.key)
            context.set_alpn_protocols(protocols)

        def accept():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

        def handle(connection):
            connection.settimeout(LONGEST)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                if context:
                    connection = context.wrap_socket(connection, server_side=True)
                speak(connection)
            except OSError:
                pass
            finally:
                connection.close()

        threading.Thread(target=accept, daemon=True).start()

    def speak(self, connection):
        """HTTP/1: one request after the other, until a case ends the connection."""
        while True:
            path = read_request(connection)
            if path is None:
                return
            case = self.cases.get(unquote(path.removeprefix("/")))
            if case is None:
                connection.sendall(framed(b"fine", "Content-Type: text/plain"))
                continue
            play(connection, case)
            end(connection, case.ending)
            if case.ending != "keep":
                return


def read_request(connection):
    """Reads a head, and the body as far as there is no case that wants to answer before."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return None
        head += byte
    line = head.split(b"\r\n")[0].split(b" ")
    return line[1].decode("latin-1").split("?")[0] if len(line) > 1 else ""


def play(connection, case):
    for piece in case.pieces(connection):
        if isinstance(piece, bytes):
            connection.sendall(piece)
        else:
            time.sleep(piece)


def end(connection, ending):
    """Prepares the close that follows; "cut" is that close alone."""
    if ending == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if ending == "close":
        # So that an orderly end is seen, and not the reset that unread bytes would bring.
        if isinstance(connection, ssl.SSLSocket):
            connection = connection.unwrap()
        connection.shutdown(socket.SHUT_WR)
    if ending in ("close", "hold"):
        drain(connection)


def drain(connection):
    """Waits until the other side hangs up."""
    while connection.recv(65536):
        pass
