import CLullBridge

/// One function or property of the Lua API: its name, what it takes, what it does.
struct Method: Sendable {
  enum Role: Int32 {
    case method
    case getter
    case setter
  }

  typealias Body = @Sendable (Call) throws(Misuse) -> Void

  let name: StaticString
  /// One letter an argument, as `lull_method.arguments` explains.
  let arguments: StaticString
  let kind: HandleKind
  let role: Role
  let body: Body

  static func method(
    _ kind: HandleKind, _ name: StaticString, _ arguments: StaticString = "",
    _ body: @escaping Body
  ) -> Method {
    Method(name: name, arguments: arguments, kind: kind, role: .method, body: body)
  }

  static func getter(_ kind: HandleKind, _ name: StaticString, _ body: @escaping Body) -> Method {
    Method(name: name, arguments: "", kind: kind, role: .getter, body: body)
  }

  static func setter(_ kind: HandleKind, _ name: StaticString, _ body: @escaping Body) -> Method {
    Method(name: name, arguments: "v", kind: kind, role: .setter, body: body)
  }

  static func function(
    _ name: StaticString, _ arguments: StaticString = "", _ body: @escaping Body
  ) -> Method {
    Method(name: name, arguments: arguments, kind: .module, role: .method, body: body)
  }

  /// The whole API, in the order the bridge numbers it.
  static let all: [Method] = {
    let groups = [
      moduleMethods, requestFactoryMethods, serviceMethods, resourceMethods, requestMethods,
      valueMethods, observationMethods, taskMethods, concurrencyMethods, configurationMethods,
      pipelineMethods, httpRequestMethods, logMethods, networkingMethods, watchMethods,
      pagesMethods,
      argumentMethods, fileMethods, apiFileMethods, secretMethods,
    ]
    var all: [Method] = []
    all.reserveCapacity(groups.reduce(0) { $0 + $1.count })
    for group in groups { all += group }
    return all
  }()

  static func index(_ kind: HandleKind, _ name: String) -> Int32 {
    Int32(all.firstIndex { $0.kind == kind && $0.name.description == name } ?? 0)
  }

  /// The bridge's form of the table, made once for the process.
  // Written once by the initialiser, read-only ever after.
  nonisolated(unsafe) static let bridged: UnsafePointer<lull_method> = {
    let table = UnsafeMutablePointer<lull_method>.allocate(capacity: all.count)
    for (index, method) in all.enumerated() {
      (table + index).initialize(
        to: lull_method(
          name: method.name.cString, arguments: method.arguments.cString,
          kind: method.kind.rawValue, role: method.role.rawValue))
    }
    return UnsafePointer(table)
  }()
}

extension StaticString {
  /// Terminated by a NUL, like every string literal.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
