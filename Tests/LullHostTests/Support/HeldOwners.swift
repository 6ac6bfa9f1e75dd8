@testable import LullHost

/// The owners of a host that has been closed, as far as they are still there.
struct HeldOwners {
  private let owners: [(name: String, owner: () -> AnyObject?)]

  init(of host: LuaHost) {
    owners = Mirror(reflecting: host).children.compactMap { child in
      // The environment is the test's.
      guard let name = child.label, name != "environment", type(of: child.value) is AnyClass else {
        return nil
      }
      let owner = child.value as AnyObject
      return (name, { [weak owner] in owner })
    }
  }

  var held: [String] { owners.filter { $0.owner() != nil }.map(\.name) }
}
