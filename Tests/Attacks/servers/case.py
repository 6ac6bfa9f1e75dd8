"""What a server does to one request, and what lull must make of it."""

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
TRANSPORT = {
    "network",
    "timeout",
    "tls",
    "dns",
    "connection",
    "truncated_body",
    "malformed_response",
    "body_too_large",
    "too_many_redirects",
    "redirect_refused",
    "invalid_url",
}


class Outcome:
    """An answer with its status and body, or an error of one of some kinds."""

    def __init__(self, status=None, body=None, kinds=(), words=""):
        self.status, self.body, self.kinds, self.words = status, body, kinds, words

    def complaint(self, told):
        """What is wrong with what the probe told; None if nothing is."""
        if told.get("kind"):
            if told["kind"] not in self.kinds:
                return f"failed with {told['kind']}: {told['message']}"
            if self.words not in told["message"]:
                return f"does not say '{self.words}': {told['message']}"
            return None
        if self.status is None:
            return f"came through: {told['status']}, {told['size']} bytes"
        if told["status"] != str(self.status):
            return f"has status {told['status']}"
        if self.body is not None and told["body"] != digest(self.body):
            return f"has another body, of {told['size']} bytes: {told.get('start')}"
        return None

    @property
    def exit_codes(self):
        codes = {6 if kind in TRANSPORT else 1 for kind in self.kinds}
        if self.status is not None:
            codes.add(4 if 400 <= self.status < 500 else 5 if 500 <= self.status else 0)
        return codes


def digest(body):
    """As the probe makes it: enough to tell bodies apart."""
    total = 7
    for byte in body[:4096] + body[-4096:]:
        total = (total * 31 + byte) % 4294967291
    return f"{len(body)}-{total}"


def comes(body=None, status=200):
    """With this body; None: with any."""
    return Outcome(status=status, body=body)


def fails(*kinds, words=""):
    return Outcome(kinds=kinds, words=words)


def either(outcome, *kinds):
    return Outcome(outcome.status, outcome.body, kinds)


class Case:
    """
    answer: bytes, or pieces: bytes to send and numbers of seconds to wait; or a function of the
      connection that gives such pieces.
    ending: "keep" goes on with the next request of the connection, "close" ends it in order,
      "reset" with an error, "cut" without the farewell of TLS, "hold" when the client does.
    scheme: as Server names its ports. trusts: whether the client knows the server's certificate.
    seconds: how long the client waits. memory: megabytes that it may need beside its program.
    """

    def __init__(
        self,
        name,
        answer,
        outcome,
        ending="keep",
        method="GET",
        seconds=10,
        memory=48,
        upload=0,
        settings="",
        verb=True,
        scheme="http",
        trusts=True,
    ):
        self.name, self.answer, self.outcome, self.ending = name, answer, outcome, ending
        self.method, self.seconds, self.memory, self.upload = method, seconds, memory, upload
        self.settings, self.verb, self.scheme, self.trusts = settings, verb, scheme, trusts

    def pieces(self, connection):
        answer = self.answer(connection) if callable(self.answer) else self.answer
        return [answer] if isinstance(answer, bytes) else answer


def framed(body, *headers, status="200 OK", length=None):
    """A whole answer, with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
    head = "\r\n".join(lines + list(headers)) + "\r\n\r\n"
    return head.encode("latin-1") + body


def forever(piece, start=b""):
    """Without end, in packets of a sensible size."""

    def pieces(_):
        yield start
        many = piece * max(1, 16384 // len(piece))
        while True:
            yield many

    return pieces


def dripping(piece, start=b"", pause=0.05):
    def pieces(_):
        yield start
        while True:
            yield piece
            yield pause

    return pieces
