import CLullBridge
import LullCore
import LullTransport

extension Method {
  static let fileCacheKeys = ["version", "path", "max_size", "max_age", "identity"]

  /// `lull.cache.file([{ version =, path =, max_size =, max_age =, identity = }])`
  static func makeFileCache(_ call: Call) throws(Misuse) {
    if !call.permissions.isInspecting { try call.permissions.refuseInSandbox("lull.cache.file") }
    var options = FileEntityCache.Options()
    if !call.isNil(0) {
      try call.reading.options.forEach(of: call.index(0), in: call.state, known: fileCacheKeys) {
        name, value throws(Misuse) in
        switch name {
        case "version":
          guard let version = value.double.flatMap({ Int(exactly: $0) }), version >= 0
          else { throw mustBe(name, "a whole number, 0 or more", value) }
          options.version = version
        case "path": options.path = try text(ofOption: value, name)
        case "identity": options.identity = try text(ofOption: value, name)
        case "max_size":
          guard let size = value.double, size >= 65536, size < 1e15 else {
            throw mustBe(name, "a number of bytes, 65536 or more", value)
          }
          options.maxSize = Int(size)
        default:
          guard let seconds = value.double, seconds >= 0 else {
            throw mustBe(name, "a number of seconds, 0 or more", value)
          }
          options.maxAge = seconds
        }
      }
    }
    let cache =
      call.permissions.isInspecting ? FileEntityCache(inert: options) : FileEntityCache(options)
    let handle = call.handles.insert(CacheBox(.file(cache)), kind: .cache)
    call.return(.object(handle: handle, kind: HandleKind.cache.rawValue, service: 0, anchor: 0))
  }

  private static func text(ofOption value: lull_value, _ name: String) throws(Misuse) -> String {
    guard let text = value.string, !text.isEmpty, !text.utf8.contains(0) else {
      throw mustBe(name, "a string that is not empty", value)
    }
    return text
  }

  private static func mustBe(_ name: String, _ what: String, _ value: lull_value) -> Misuse {
    .message("'\(name)' must be \(what), got \(value.described)")
  }
}
