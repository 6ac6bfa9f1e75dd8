"""The server of the workloads that use the network."""

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from harness import HERE, Failure, run


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """An nginx with one worker on a free loopback port. With TLS, it has a second port with
    HTTP/2 and its own certificate."""

    def __init__(self, folder, has_tls=False):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        tls = ""
        if has_tls:
            tls_port = free_port()
            self.tls_url = f"https://127.0.0.1:{tls_port}"
            self.certificate, key = self.make_certificate(folder)
            tls = (f"listen 127.0.0.1:{tls_port} ssl http2; ssl_certificate {self.certificate}; "
                   f"ssl_certificate_key {key};")
        with open(os.path.join(HERE, "nginx.conf")) as file:
            text = file.read().replace("@PORT@", str(port)).replace("@TLS@", tls)
        text = text.replace("@FOLDER@", folder)
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

    @staticmethod
    def make_certificate(folder):
        certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
             "/CN=Lull bench", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
             certificate])
        return certificate, key

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
        """Returns the connections accepted and requests served so far, without this query."""
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
