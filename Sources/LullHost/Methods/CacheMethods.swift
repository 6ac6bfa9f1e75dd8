import CLullBridge
import LullCore
import LullTransport

extension Method {
  static let fileCacheKeys = ["version", "path", "max_size", "max_age", "identity"]
  static let sharedCacheKeys = fileCacheKeys + ["secret"]

  /// `lull.cache.file([{ version =, path =, max_size =, max_age =, identity = }])`
  static func makeFileCache(_ call: Call) throws(Misuse) {
    try call.permissions.refuseUnlessInspecting("lull.cache.file")
    var options = FileEntityCache.Options()
    try readOptions(call, known: fileCacheKeys) { name, value throws(Misuse) in
      switch name {
      case "version": options.version = try version(value, name)
      case "path": options.path = try text(ofOption: value, name)
      case "identity": options.identity = try text(ofOption: value, name)
      case "max_size":
        options.maxSize = try size(value, name, atLeast: FileEntityCache.Options.leastSize)
      default: options.maxAge = try seconds(value, name)
      }
    }
    answer(
      call,
      .file(
        call.permissions.isInspecting ? FileEntityCache(inert: options) : FileEntityCache(options)))
  }

  /// `lull.cache.shared([{ version =, path =, max_size =, max_age =, identity =, secret = }])`
  static func makeSharedCache(_ call: Call) throws(Misuse) {
    try call.permissions.refuseUnlessInspecting("lull.cache.shared")
    var options = SharedEntityCache.Options()
    try readOptions(call, known: sharedCacheKeys) { name, value throws(Misuse) in
      switch name {
      case "version": options.version = try version(value, name)
      case "path": options.path = try text(ofOption: value, name)
      case "identity": options.identity = try text(ofOption: value, name)
      case "max_size":
        options.maxSize = try size(value, name, atLeast: SharedEntityCache.Options.leastSize)
      case "secret":
        options.secret = try credential(call, value, name, of: "lull.cache.shared")
      default: options.maxAge = try seconds(value, name)
      }
    }
    guard !call.permissions.isInspecting else {
      return answer(call, .shared(SharedEntityCache(inert: options)))
    }
    do throws(ShareError) {
      answer(call, .shared(try SharedEntityCache(options)))
    } catch {
      throw .message(error.description)
    }
  }

  private static func readOptions(
    _ call: Call, known: [String],
    _ read: (_ name: String, _ value: lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    guard !call.isNil(0) else { return }
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: known, read)
  }

  private static func answer(_ call: Call, _ cache: CacheBox.Cache) {
    let handle = call.handles.insert(CacheBox(cache), kind: .cache)
    call.return(.object(handle: handle, kind: HandleKind.cache.rawValue, service: 0, anchor: 0))
  }

  private static func version(_ value: lull_value, _ name: String) throws(Misuse) -> Int {
    let rule = NumberRule.count(from: 0)
    guard let version = value.double.flatMap({ Int(exactly: $0) }), rule.allows(Double(version))
    else { throw mustBe(name, rule.expectation, value) }
    return version
  }

  private static func size(
    _ value: lull_value, _ name: String, atLeast least: Int
  ) throws(Misuse) -> Int {
    let rule = NumberRule.bytes(from: least)
    guard let size = value.double, rule.allows(size), size < 1e15 else {
      throw mustBe(name, rule.expectation, value)
    }
    return Int(size)
  }

  private static func seconds(_ value: lull_value, _ name: String) throws(Misuse) -> Double {
    guard let seconds = value.double, NumberRule.seconds.allows(seconds) else {
      throw mustBe(name, NumberRule.seconds.expectation, value)
    }
    return seconds
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
