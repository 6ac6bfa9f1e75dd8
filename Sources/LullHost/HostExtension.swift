/// What a target above the host adds to the Lua API: functions and types, and the owner of what they
/// keep for one host.
///
/// Made when it is first asked for (`LuaHost.part`), and held by the host from then on. Home thread
/// only.
package protocol HostExtension: AnyObject, SendableMetatype {
  /// What it has in the table of the module.
  static var functions: [APIEntry] { get }
  /// The types of its objects and of its tables; kinds of objects are in the list of kinds, as all are.
  static var types: [APIOwner] { get }
  /// Its objects that nothing describes.
  static var unseen: [APIOwner] { get }
  /// What the first argument of a function of the module may be, where it is a string of which there are
  /// some to choose from; nothing is run for it.
  static func choices(for function: String, typed: String) -> [String]
  init(_ host: LuaHost)
  /// The state goes away, or has gone: lets go of what holds the host, and calls nothing in Lua.
  func close()
}

extension HostExtension {
  package static var unseen: [APIOwner] { [] }
  package static func choices(for function: String, typed: String) -> [String] { [] }
}
