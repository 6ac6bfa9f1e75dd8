"""The server that the workloads over the network talk to."""

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from harness import HERE, Failure


class Server:
    """One nginx on a free port of loopback, with one worker."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with open(os.path.join(HERE, "nginx.conf")) as file:
            text = file.read().replace("@PORT@", str(port)).replace("@FOLDER@", folder)
        if os.geteuid() == 0:
            text = "user root;\n" + text
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(text)
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if program is None:
            raise Failure("nginx was not found")
        self.errors = os.path.join(folder, "nginx-error.log")
        self.process = subprocess.Popen(
            [program, "-e", self.errors, "-p", folder, "-c", config],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.wait_until_up()
        except BaseException:
            self.stop()
            raise

    def wait_until_up(self):
        for _ in range(100):
            if self.process.poll() is not None:
                raise Failure("nginx did not start: " + self.process.stderr.read().strip())
            try:
                self.get("/status")
                return
            except OSError:
                time.sleep(0.05)
        raise Failure("nginx did not answer within 5 s")

    def get(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, timeout=5) as answer:
            return answer.read().decode()

    def counts(self):
        """Connections accepted and requests served so far, this very question not counted."""
        text = self.get("/status")
        accepted, _, served = map(int, re.search(r"(\d+) (\d+) (\d+)", text).groups())
        return accepted - 1, served - 1

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
