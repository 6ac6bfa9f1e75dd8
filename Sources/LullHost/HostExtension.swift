/// What a target above the host adds to the Lua API: functions and types, and the owner of what they
/// keep for one host.
///
/// Made when it is first asked for (`LuaHost.part`), and held by the host from then on. Home thread
/// only.
package protocol HostExtension: AnyObject, SendableMetatype {
  /// Its functions; their kinds are in the list of kinds, as all are.
  static var methods: [Method] { get }
  /// What it has in the table of the module, described.
  static var functions: [APIEntry] { get }
  /// The types of its objects and of its tables, described.
  static var types: [APIOwner] { get }
  init(_ host: LuaHost)
  /// The state goes away, or has gone: lets go of what holds the host, and calls nothing in Lua.
  func close()
}
