import LullLibC
import LullTestSupport

/// A server whose bodies end with their TLS connection, with and without the alert that announces it.
///
/// By path: `/closed` sends close_notify, `/cut` does not; `/cut/length`, `/cut/chunks` and `/cut/head`
/// do not either, but need no such end; `/cut/gzip` is coded. Python's ssl, since nginx always sends it.
final class TruncatingServer {
  let url: String
  private let process: ChildProcess
  private let directory: TemporaryDirectory

  /// Bodies over HTTP/1; nil if Python is missing, or does not start.
  convenience init?(certificate: String, key: String) {
    self.init(TruncatingServer.script, "\(certificate) \(key)")
  }

  /// Bodies over HTTP/2: `/whole` ends with its stream, the others are reset without an error before
  /// that; `/reset/length` and `/reset/gzip` are known to be longer. `/failed/N` is reset with that error
  /// code before its answer, and `/failed/later` with 8 in its body. The frames are made by the attacks'
  /// server.
  static func http2(certificate: String, key: String) -> TruncatingServer? {
    var root = #filePath[...]
    // Tests/LullTransportTests/Support/TruncatingServer.swift
    for _ in 0..<3 { root = root[..<(root.lastIndex(of: "/") ?? root.startIndex)] }
    return TruncatingServer(http2Script, "\(certificate) \(key) \(root)/Attacks/servers")
  }

  private init?(_ script: String, _ words: String) {
    guard let directory = TemporaryDirectory(), let port = RawSocket.freePorts(1).first else {
      return nil
    }
    self.directory = directory
    directory.write("server.py", script.utf8)
    // The shell lives as long as its input, which ends with this process, and takes the server along.
    let command =
      "/usr/bin/python3 -B \(directory.path)/server.py \(port) \(words) "
      + ">\(directory.path)/log 2>&1 & read line; kill -9 $!; wait"
    guard let process = ChildProcess(command) else { return nil }
    self.process = process
    url = "https://localhost:\(port)"
    guard RawSocket.isAnswering(port, within: 20) else { return nil }
  }

  func stop() {
    process.hangUp()
    process.wait()
    directory.remove()
  }

  private static let script = """
    import gzip, socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    OK = b"HTTP/1.1 200 OK\\r\\n"
    ANSWERS = {
        "/closed": OK + b"\\r\\nhello",
        "/cut": OK + b"\\r\\nhello",
        "/cut/length": OK + b"Content-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello",
        "/cut/chunks": OK + b"Transfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\n0\\r\\n\\r\\n",
        "/cut/head": b"HTTP/1.1 204 None\\r\\nConnection: close\\r\\n\\r\\n",
        "/cut/redirect": b"HTTP/1.1 302 Found\\r\\nLocation: /closed\\r\\n\\r\\nelsewhere",
        "/cut/gzip": OK + b"Content-Encoding: gzip\\r\\n\\r\\n" + gzip.compress(b"hello"),
        "/cut/old": b"HTTP/1.0 200 OK\\r\\n\\r\\nhello",
        "/cut/empty": OK + b"\\r\\n",
    }

    def serve(connection):
        try:
            connection = context.wrap_socket(connection, server_side=True)
            # Two of them over one connection: the first keeps it.
            while True:
                head = b""
                while not head.endswith(b"\\r\\n\\r\\n"):
                    byte = connection.recv(1)
                    if not byte:
                        return
                    head += byte
                path = head.split(b" ")[1].decode()
                if path == "/kept":
                    connection.sendall(OK + b"Content-Length: 4\\r\\n\\r\\nkept")
                    continue
                connection.sendall(ANSWERS[path])
                if path == "/closed":
                    connection.unwrap()
                break
        except OSError:
            pass
        finally:
            connection.close()

    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=64)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """

  private static let http2Script = """
    import gzip, socket, ssl, sys, threading
    sys.path.insert(0, sys.argv[4])
    from case import Case, comes
    from http2 import data, head, reset, speak
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.set_alpn_protocols(["h2"])

    def broken(*fields, body=b"hel"):
        # Read apart from the head, the reset is not taken for one of the whole exchange.
        return lambda stream: iter([head(stream, *fields) + data(stream, body, end=False), 0.2, reset(stream, 0)])

    CASES = {
        "whole": lambda stream: head(stream) + data(stream, b"hel", end=False) + data(stream, b"lo"),
        "reset": broken(),
        "reset/length": broken(("content-length", "5")),
        "reset/gzip": broken(("content-encoding", "gzip"), body=gzip.compress(b"hello" * 9)[:-4]),
    }
    for code in (1, 2, 8, 11):
        CASES[f"failed/{code}"] = lambda stream, code=code: reset(stream, code)
    CASES["failed/later"] = lambda stream: iter([head(stream) + data(stream, b"hel", end=False), 0.2, reset(stream, 8)])
    CASES = {name: Case(name, answer, comes()) for name, answer in CASES.items()}

    def serve(connection):
        try:
            with context.wrap_socket(connection, server_side=True) as connection:
                speak(connection, CASES)
        except OSError:
            pass

    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=64)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}
