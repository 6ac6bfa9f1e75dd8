"""B15: a body that is read from a file while it is sent, compared with curl."""

import os
import re
import socket
import threading

from transfers import compare, cost

# The size of the file in bytes, and the maximum memory of its upload in MB.
SIZE = 2 << 30
MEMORY = 30.0


class Discarding:
    """Reads each request to its end, responds with the length of the body, and closes the
    connection."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.answer(connection)

    @staticmethod
    def answer(connection):
        received = b""
        while b"\r\n\r\n" not in received:
            piece = connection.recv(1 << 16)
            if not piece:
                return
            received += piece
        head, rest = received.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
        left = length - len(rest)
        buffer = bytearray(1 << 20)
        while left > 0:
            count = connection.recv_into(buffer, min(left, len(buffer)))
            if count == 0:
                return
            left -= count
        text = str(length).encode()
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(text), text))


def b15(bench):
    path = os.path.join(bench.folder, "large")
    with open(path, "wb") as file:
        # A sparse file: reading it needs no disk access.
        file.truncate(SIZE)

    def run(words):
        # The response contains the number of bytes received.
        return cost("B15", words, lambda said: said[:1] == [str(SIZE).encode()])

    with Discarding() as server:
        compare(
            bench, "B15", "an upload of 2 GB", MEMORY,
            lambda: run(bench.script("upload.lua", server.url, path)),
            lambda: run(["curl", "-s", "-T", path, server.url + "/"]))
    os.remove(path)
    bench.notes.append(
        "B15: a file of zeros to a server that only reads it, against curl -T; the most memory the process "
        "had at once; medians of 3 runs")
