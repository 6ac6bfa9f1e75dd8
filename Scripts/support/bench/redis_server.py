"""A Redis server on loopback of a workload's own, which keeps nothing on disk."""

import contextlib
import shutil
import socket
import subprocess
import time

from harness import Failure


@contextlib.contextmanager
def started(bench, name):
    """The URL of one that runs as long as the block; `name` is the workload that needs it."""
    program = shutil.which("redis-server")
    if not program:
        raise Failure(f"{name}: redis-server was not found; Scripts/bench installs it")
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    server = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
         "--dir", bench.folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(name, port)
        yield f"redis://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def wait(name, port):
    for _ in range(500):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.01)
    raise Failure(f"{name}: redis-server did not start")
