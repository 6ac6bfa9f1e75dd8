"""A Redis server for a workload on the loopback interface, without persistence."""

import contextlib
import shutil
import socket
import subprocess
import time

from harness import Failure


@contextlib.contextmanager
def started(bench, name):
    """Starts a server for the duration of a block and returns its URL. `name` is the workload."""
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
