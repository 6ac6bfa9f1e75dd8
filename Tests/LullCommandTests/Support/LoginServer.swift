import LullLibC
import LullTesting
import Synchronization

/// An authorization server, and an API that takes its tokens: each serves one request.
///
/// `/token` gives `access-N` and `refresh-N`, which is good once, `/device` a code, `/revoke` takes tokens
/// back, and `/me` says whose token it was.
final class LoginServer: Sendable {
  private struct State {
    var requests: [String] = []
    var tokens = 0
    var revoked: [String] = []
    /// Access tokens that are good no longer.
    var expired: [String] = []
    /// What polling for a device is answered, in turn.
    var pending = 0
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  var url: String { "http://127.0.0.1:\(port)" }
  /// First lines and bodies, as `POST /token a=b`.
  var requests: [String] { state.withLock { $0.requests } }

  init() throws {
    guard let (listener, port) = RawSocket.listen() else {
      throw Child.Failure(description: "no port")
    }
    self.listener = listener
    self.port = port
    Background.run { [self] in
      while let connection = RawSocket.accept(listener) {
        Background.run { [self] in
          serve(connection)
          close(connection)
        }
      }
      close(listener)
    }
  }

  /// Ends its threads; nothing else frees its port.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ connection: Int32) {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = LoginServer.byte(connection) else { return }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    func header(_ name: String) -> String? {
      lines.first { $0.lowercased().hasPrefix(name + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
    var body: [UInt8] = []
    for _ in 0..<(header("content-length").flatMap { Int($0) } ?? 0) {
      guard let byte = LoginServer.byte(connection) else { return }
      body.append(byte)
    }
    let line = (lines.first ?? "").split(separator: " ").prefix(2).joined(separator: " ")
    let form = String(decoding: body, as: UTF8.self)
    let (status, answer) = state.withLock { state in
      state.requests.append(form.isEmpty ? line : line + " " + form)
      return LoginServer.answer(line, form, header("authorization") ?? "", url, &state)
    }
    let text =
      "HTTP/1.1 \(status) Said\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(answer.utf8.count)\r\nConnection: close\r\n\r\n\(answer)"
    _ = Array(text.utf8).withUnsafeBytes {
      send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  private static func byte(_ connection: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return read(connection, &byte, 1) == 1 ? byte : nil
  }

  private static func answer(
    _ line: String, _ form: String, _ authorization: String, _ url: String, _ state: inout State
  ) -> (Int, String) {
    func isRevoked(_ number: Substring) -> Bool { state.revoked.contains(String(number)) }
    switch line {
    case "POST /token":
      if form.contains("device_code"), state.pending < 1 {
        state.pending += 1
        return (400, #"{"error":"authorization_pending"}"#)
      }
      if let old = form.split(separator: "&").first(where: {
        $0.hasPrefix("refresh_token=refresh-")
      }) {
        let number = old.dropFirst(22)
        guard number == "\(state.tokens)", !isRevoked(number) else {
          return (400, #"{"error":"invalid_grant"}"#)
        }
      }
      state.tokens += 1
      let number = state.tokens
      return (
        200,
        #"{"access_token":"access-\#(number)","refresh_token":"refresh-\#(number)","#
          + #""token_type":"Bearer","expires_in":3600}"#
      )
    case "POST /device":
      return (
        200,
        #"{"device_code":"dev1ce-c0de","user_code":"WDJB-MJHT","interval":0.1,"#
          + #""expires_in":600,"verification_uri":"\#(url)/go"}"#
      )
    case "POST /revoke":
      let token = form.split(separator: "&").first { $0.hasPrefix("token=refresh-") }
      if let token { state.revoked.append(String(token.dropFirst(14))) }
      return (200, "")
    case "GET /me":
      let number = authorization.dropFirst("Bearer access-".count)
      guard authorization.hasPrefix("Bearer access-"), number == "\(state.tokens)",
        !isRevoked(number), !state.expired.contains(String(number))
      else { return (401, "{}") }
      return (200, #"{"user":"ann"}"#)
    default: return (404, "{}")
    }
  }

  /// Ends the access token given last; its refresh token is still good.
  func expire() { state.withLock { $0.expired.append("\($0.tokens)") } }
}
