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
  // Written by the initialiser, read-only ever after.
  nonisolated(unsafe) let bridged: UnsafePointer<lull_method>
  private let extensions: [any HostExtension.Type]

  /// What people are told of the functions and types; put together at each call.
  package var description: APIDescription { APIDescription(with: extensions) }

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
    self.methods = methods
    self.extensions = extensions
    bridged = UnsafePointer(table)
  }
}
