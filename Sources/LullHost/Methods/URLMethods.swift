import CLullBridge
import LullCore

extension Method {
  static let urlMethods: [Method] = [
    .function("url.parse", "s") { call throws(Misuse) in parse(call) },
    .function("url.join", "ss") { call throws(Misuse) in join(call) },
    .function("url.encode", "s") { call throws(Misuse) in
      let bytes = call.raw(0).withBytes { PercentEncoding.encode($0) }
      call.return(.bytes(bytes ?? []))
    },
    .function("url.decode", "s") { call throws(Misuse) in
      let outcome = call.raw(0).withBytes { text -> Result<[UInt8], PercentEncoding.BadEscape> in
        do throws(PercentEncoding.BadEscape) {
          return .success(try PercentEncoding.decode(text))
        } catch {
          return .failure(error)
        }
      }
      switch outcome ?? .success([]) {
      case .success(let bytes): call.return(.bytes(bytes))
      case .failure(let escape):
        call.fail("'\(escape.text)' is no escape (at byte \(escape.offset + 1))")
      }
    },
  ]

  /// `lull.url.parse(text)`
  private static func parse(_ call: Call) {
    guard let parts = url(call, 0)?.parts else { return }
    var fields: [(String, LuaValue)] = [("path", .string(parts.path))]
    func add(_ name: String, _ value: LuaValue?) {
      if let value { fields.append((name, value)) }
    }
    add("scheme", parts.scheme.map { .string($0) })
    add("user", parts.user.map { .bytes($0) })
    add("password", parts.password.map { .bytes($0) })
    add("host", parts.host.map { .string($0) })
    add("port", parts.port.map { .int(Int64($0)) })
    add("query", parts.query.map { .string($0) })
    add("fragment", parts.fragment.map { .string($0) })
    var values: [[UInt8]: [LuaValue]] = [:]
    for (name, value) in parts.params { values[name, default: []].append(.bytes(value)) }
    add(
      "params",
      .table(
        values.map { name, values in
          (.bytes(name), values.count == 1 ? values[0] : .list(values))
        }))
    call.return(.map(fields))
  }

  /// `lull.url.join(base, reference)`
  private static func join(_ call: Call) {
    guard let base = url(call, 0) else { return }
    let joined = call.raw(1).withBytes { base.relative(hrefBytes: $0) } ?? base
    guard let joined else {
      let text = call.raw(1).urlText ?? ""
      return call.fail("'\(LogText.url(text))' is no reference: \(ResourceURL.problem(in: text))")
    }
    call.return(.string(joined.text))
  }

  /// The URL at a position; nil, and told, if the text is none.
  private static func url(_ call: Call, _ position: Int) -> ResourceURL? {
    let text = call.raw(position).urlText ?? ""
    guard let url = ResourceURL(absolute: text) else {
      call.fail("'\(LogText.url(text))' is no URL: \(ResourceURL.problem(in: text))")
      return nil
    }
    return url
  }
}

extension Call {
  /// Returns nil and what is wrong with what was handed over.
  func fail(_ problem: String) {
    self.return(.nil)
    self.return(.string(problem))
  }
}
