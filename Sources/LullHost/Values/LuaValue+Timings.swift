import LullCore

extension LuaValue {
  /// Recorded times as a table, or nil.
  static func timings(_ timings: TransferTimings?) -> LuaValue {
    guard let timings else { return .nil }
    return .map([
      ("dns", .number(timings.dns)), ("connect", .number(timings.connect)),
      ("tls", .number(timings.tls)), ("first_byte", .number(timings.firstByte)),
      ("total", .number(timings.total)), ("is_reused", .bool(timings.isReused)),
      ("http_version", timings.httpVersion.map { .string($0) } ?? .nil),
      ("remote_address", timings.remoteAddress.map { .string($0) } ?? .nil),
      ("redirect_count", .int(Int64(timings.redirectCount))),
    ])
  }
}
