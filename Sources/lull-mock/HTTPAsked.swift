import CMicrohttpd
import LullCore

/// What was asked, byte for byte.
struct HTTPAsked {
  enum State {
    case complete
    case tooLong
    case noRoom
  }

  let state: State
  let method: [UInt8]
  let target: [UInt8]
  /// HTTP/1.1, which has to name its host.
  let isCurrent: Bool
  let headers: [(name: String, value: [UInt8])]
  let body: [UInt8]

  init(_ exchange: HTTPExchange) {
    state =
      exchange.read { request in
        switch cmhd_request_state(request) {
        case CMHD_TOO_LONG: .tooLong
        case CMHD_NO_ROOM: .noRoom
        default: .complete
        }
      } ?? .complete
    method = exchange.read { HTTPAsked.bytes(cmhd_request_method($0)) } ?? []
    target = exchange.read { HTTPAsked.bytes(cmhd_request_target($0)) } ?? []
    isCurrent = exchange.read { cmhd_request_is_current($0) != 0 } ?? true
    body = exchange.read { HTTPAsked.bytes(cmhd_request_body($0)) } ?? []
    headers =
      exchange.read { request in
        (0..<cmhd_request_header_count(request)).map { index in
          var name = cmhd_text()
          var value = cmhd_text()
          cmhd_request_header(request, index, &name, &value)
          return (String(escaping: HTTPAsked.bytes(name)).lowercased(), HTTPAsked.bytes(value))
        }
      } ?? []
  }

  /// The request's for as long as nobody has answered it: copied at once.
  private static func bytes(_ text: cmhd_text) -> [UInt8] {
    guard let start = text.bytes else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: text.count))
  }
}
