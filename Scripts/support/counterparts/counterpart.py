"""Shared by the counterparts: servers in threads, scripts run by lull, and differences.

A counterpart prints only differences, and then exits with 1.
"""

import contextlib
import logging
import os
import pathlib
import subprocess
import sys
import threading

# Their messages without errors.
logging.disable(logging.WARNING)

HERE = pathlib.Path(__file__).resolve().parent


@contextlib.contextmanager
def wsgi(application):
    """Serves an application on a free port. Returns its URL."""
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Silent(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_):
            pass

    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def lull(script, *arguments, warns=False, **variables):
    """Runs a script of this folder. Returns its output. Errors end the program, and so do
    warnings unless some are expected."""
    run = subprocess.run(
        [os.environ["LULL_PROGRAM"], "run", str(HERE / script), *map(str, arguments)],
        env={**os.environ, **variables}, capture_output=True, text=True, timeout=240, check=False)
    complaints = [line for line in run.stderr.splitlines() if not (warns and line.startswith("lull: warning: "))]
    if run.returncode != 0 or complaints:
        sys.exit(f"{script} has ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout
