#!/usr/bin/env python3
"""A server whose connections take long, and which notes when each request has arrived.

  arrivals.py FOLDER [--plain] [--handshake S] [--proxy S] [--read S] [--arrive S]

Writes the port to FOLDER/port and the time of each arrival to FOLDER/arrivals, one a line. TLS with the
certificate in FOLDER, or plain with --plain.

  --handshake S   a new connection is answered after S seconds
  --proxy S       a proxy besides, at FOLDER/proxy-port, that answers CONNECT after S seconds
  --read S        the first body of a connection is read after S seconds
  --arrive S      the first five requests arrive S seconds late

Paths: /redirect/N leads to /a/N; /flaky/N is answered 503 the first time; /auth/N wants Digest; /drop/N
ends a connection that was used before, without an answer; /refuse/N always; anything else is answered 200.
"""
import argparse, os, random, re, socket, ssl, subprocess, threading, time

options = argparse.ArgumentParser()
options.add_argument("folder")
options.add_argument("--plain", action="store_true")
for name in ("handshake", "proxy", "read", "arrive"):
    options.add_argument("--" + name, type=float, default=0)
given = options.parse_args()
lock = threading.Lock()
seen = {}
count = 0
arrivals = open(os.path.join(given.folder, "arrivals"), "a", 1)


def publish(name, port):
    path = os.path.join(given.folder, name)
    with open(path + ".new", "w") as file:
        file.write(str(port))
    os.rename(path + ".new", path)


def arrived(path):
    with lock:
        arrivals.write("%.4f %s\n" % (time.time(), path))
        seen[path] = seen.get(path, 0) + 1
        return seen[path]


def answer(connection, status, headers="", body="1"):
    connection.sendall(
        ("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s" % (status, len(body), headers, body)).encode())


def serve(connection, context):
    global count
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        time.sleep(given.handshake)
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        reader = connection.makefile("rb")
        number = 0
        while True:
            line = reader.readline().decode()
            if not line.strip():
                return
            headers = {}
            while True:
                header = reader.readline().decode().rstrip("\r\n")
                if not header:
                    break
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip()
            number += 1
            length = int(headers.get("content-length", 0))
            if length and number == 1:
                time.sleep(given.read)
            while length:
                piece = reader.read(min(length, 1 << 16))
                if not piece:
                    return
                length -= len(piece)
            path = line.split(" ")[1]
            with lock:
                count += 1
                is_early = count <= 5
            # On its way for so long.
            if is_early:
                time.sleep(given.arrive)
            times = arrived(path)
            if path.startswith("/redirect/"):
                answer(connection, "302 Found", "Location: /a/%s\r\n" % path.rsplit("/", 1)[1])
            elif path.startswith("/flaky/") and times == 1:
                answer(connection, "503 Service Unavailable")
            elif path.startswith("/auth/") and "authorization" not in headers:
                answer(connection, "401 Unauthorized",
                       'WWW-Authenticate: Digest realm="r", nonce="%d", qop="auth"\r\n' % random.getrandbits(60))
            elif path.startswith("/drop/") and number > 1 and times == 1 or path.startswith("/refuse/"):
                return
            else:
                answer(connection, "200 OK")
    except OSError:
        pass
    finally:
        connection.close()


def relay(source, target):
    try:
        while True:
            data = source.recv(1 << 16)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def tunnel(client):
    try:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        port = int(re.match(rb"CONNECT [^ ]*:(\d+) ", head).group(1))
        time.sleep(given.proxy)
        server = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=relay, args=(server, client), daemon=True).start()
        relay(client, server)
    except OSError:
        pass


def listen(name, action):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)
    publish(name, listener.getsockname()[1])

    def accept():
        while True:
            threading.Thread(target=action, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    return thread


context = None
if not given.plain:
    key, certificate = (os.path.join(given.folder, name) for name in ("k.pem", "c.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=localhost"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
if given.proxy:
    listen("proxy-port", tunnel)
listen("port", lambda connection: serve(connection, context)).join()
