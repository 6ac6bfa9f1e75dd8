import CMicrohttpd
import LullCore

/// A request as it was received, byte for byte.
struct HTTPAsked {
  enum State {
    case complete
    case tooLong
    case noRoom
    /// RFC 9112 rejects its head, for this reason.
    case malformed(String)
    case unknownCoding(String)
  }

  let state: State
  let method: [UInt8]
  let target: [UInt8]
  /// HTTP/1.1, which has to name its host.
  let isCurrent: Bool
  /// Whether the connection must close after the answer.
  let isLast: Bool
  let headers: [(name: String, value: [UInt8])]
  /// Empty while it is still to come.
  let body: [UInt8]

  init(_ request: OpaquePointer) {
    let problem = cmhd_request_problem(request).map { String(cString: $0) } ?? ""
    state =
      switch cmhd_request_state(request) {
      case CMHD_TOO_LONG: .tooLong
      case CMHD_NO_ROOM: .noRoom
      case CMHD_MALFORMED: .malformed(problem)
      case CMHD_UNKNOWN_CODING: .unknownCoding(problem)
      default: .complete
      }
    method = HTTPAsked.bytes(cmhd_request_method(request))
    target = HTTPAsked.bytes(cmhd_request_target(request))
    isCurrent = cmhd_request_is_current(request) != 0
    isLast = cmhd_request_is_last(request) != 0
    body = HTTPAsked.bytes(cmhd_request_body(request))
    headers = (0..<cmhd_request_header_count(request)).map { index in
      var name = cmhd_text()
      var value = cmhd_text()
      cmhd_request_header(request, index, &name, &value)
      return (String(escaping: HTTPAsked.bytes(name)).lowercased(), HTTPAsked.bytes(value))
    }
  }

  /// Copied, since they belong to the request until it is answered.
  private static func bytes(_ text: cmhd_text) -> [UInt8] {
    guard let start = text.bytes else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: text.count))
  }
}
