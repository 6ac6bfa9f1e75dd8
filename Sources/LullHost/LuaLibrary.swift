import CLullBridge

/// The functions of the Lua API that the hosts of a program have: the host's own, then those of
/// extensions.
///
/// Made once for a process by whoever puts the program together, and never freed: the bridge of every
/// state reads it. Any thread.
package final class LuaLibrary: Sendable {
  /// In the order the bridge numbers them.
  let methods: [Method]
  /// The bridge's form of them.
  // Written by the initialiser, read-only ever after; both of them.
  nonisolated(unsafe) let bridged: UnsafePointer<lull_method>
  /// What they do. Not in an array, which each call would hold and let go of.
  nonisolated(unsafe) private let bodies: UnsafeBufferPointer<Method.Body>
  private let extensions: [any HostExtension.Type]

  /// What people are told of the functions and types; put together at each call.
  package var description: APIDescription { APIDescription(with: extensions) }

  /// What the first argument of a function of the module may be, where there is something to choose from.
  ///
  /// - Parameter typed: its beginning.
  package func choices(for function: String, typed: String) -> [String] {
    extensions.flatMap { $0.choices(for: function, typed: typed) }
  }

  /// What every host has.
  package static let plain = LuaLibrary()

  package init(_ extensions: [any HostExtension.Type] = []) {
    let methods = extensions.reduce(into: Method.own) { $0 += $1.methods }
    let table = UnsafeMutablePointer<lull_method>.allocate(capacity: methods.count)
    for (index, method) in methods.enumerated() {
      (table + index).initialize(
        to: lull_method(
          name: method.name.cString, arguments: method.arguments.cString,
          kind: method.kind.rawValue, role: method.role.rawValue))
    }
    let bodies = UnsafeMutableBufferPointer<Method.Body>.allocate(capacity: methods.count)
    _ = bodies.initialize(from: methods.lazy.map(\.body))
    self.bodies = UnsafeBufferPointer(bodies)
    self.methods = methods
    self.extensions = extensions
    bridged = UnsafePointer(table)
  }

  /// What the method of that number does; the bridge has it from `bridged`.
  func body(_ number: Int32) -> Method.Body { bodies[Int(number)] }
}
