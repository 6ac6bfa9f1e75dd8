import CLullBridge

/// One function or property of the Lua API: its name, what it takes, what it does.
package struct Method: Sendable {
  package enum Role: Int32 {
    case method
    case getter
    case setter
  }

  package typealias Body = @Sendable (Call) throws(Misuse) -> Void

  let name: StaticString
  /// One letter an argument, as `lull_method.arguments` explains.
  let arguments: StaticString
  let kind: HandleKind
  let role: Role
  let body: Body

  package static func method(
    _ kind: HandleKind, _ name: StaticString, _ arguments: StaticString = "",
    _ body: @escaping Body
  ) -> Method {
    Method(name: name, arguments: arguments, kind: kind, role: .method, body: body)
  }

  package static func getter(_ kind: HandleKind, _ name: StaticString, _ body: @escaping Body)
    -> Method
  {
    Method(name: name, arguments: "", kind: kind, role: .getter, body: body)
  }

  static func setter(_ kind: HandleKind, _ name: StaticString, _ body: @escaping Body) -> Method {
    Method(name: name, arguments: "v", kind: kind, role: .setter, body: body)
  }

  package static func function(
    _ name: StaticString, _ arguments: StaticString = "", _ body: @escaping Body
  ) -> Method {
    Method(name: name, arguments: arguments, kind: .module, role: .method, body: body)
  }

  /// The host's own, in the order the bridge numbers them; those of extensions follow.
  static let own: [Method] = {
    let groups = [
      moduleMethods, requestFactoryMethods, serviceMethods, resourceMethods, requestMethods,
      valueMethods, observationMethods, taskMethods, concurrencyMethods, configurationMethods,
      pipelineMethods, httpRequestMethods, logMethods, networkingMethods, watchMethods,
      pagesMethods, changesMethods, statusMethods, progressMethods, streamMethods,
      argumentMethods, fileMethods, secretMethods, bodyMethods, shareMethods,
      urlMethods,
      digestMethods, httpStatusMethods, timeMethods, csvMethods, tableMethods, oneOffMethods,
    ]
    var own: [Method] = []
    own.reserveCapacity(groups.reduce(0) { $0 + $1.count })
    for group in groups { own += group }
    return own
  }()

  /// The number of one of the host's own.
  static func index(_ kind: HandleKind, _ name: String) -> Int32 {
    Int32(own.firstIndex { $0.kind == kind && $0.name.description == name } ?? 0)
  }
}

extension StaticString {
  /// Terminated by a NUL, like every string literal.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
