import CLullBridge
import LullArguments
import LullCore

/// Finds the entry of the Lua API that documents a script value.
struct FunctionLookup {
  private let bridge: BridgeRuntime
  private let description: APIDescription

  init(_ bridge: BridgeRuntime) {
    self.bridge = bridge
    description = bridge.library.description
  }

  /// Returns the text that `lull.help(x)` prints.
  func helpText(_ call: Call) -> String {
    let value = call.raw(0)
    switch Int(value.kind) {
    case Int(LULL_STRING):
      let name = value.string ?? ""
      return HelpText(description).text(named: name) ?? unknown(name)
    case Int(LULL_OBJECT):
      if let owner = description.owners.first(where: { $0.handle?.rawValue == value.aux }) {
        return HelpText.text(for: owner)
      }
    case Int(LULL_FUNCTION):
      if let (owner, entry) = described(function: call.index(0), in: call.state) {
        return HelpText.text(for: entry, of: owner)
      }
    case Int(LULL_TABLE):
      if let name = moduleName(call.index(0), in: call.state),
        let owner = description.owner(name)
      {
        return HelpText.text(for: owner)
      }
    default: break
    }
    return "There is no help for \(value.described); help() lists the topics.\n"
  }

  /// Returns the message of `help` for a name that is not known.
  func unknown(_ name: String) -> String {
    let names =
      description.owners.map(\.name) + description.owners.flatMap { $0.entries.map(\.name) }
    let near = NearestName.suggestion(for: name, among: names)
    return "Nothing is called '\(name)'" + (near.map { " (did you mean '\($0)'?)" } ?? "")
      + "; help() lists the topics.\n"
  }

  /// Returns the documentation of the function at a stack index. Returns nil if the function is not
  /// a function of Lull.
  func described(function index: Int32, in state: OpaquePointer?) -> (APIOwner, APIEntry)? {
    let number = lull_function_method(state, index)
    if let member = bridge.library.member(number) {
      if member.kind == .module { return described(path: "lull." + member.path) }
      for owner in description.owners where owner.handle == member.kind {
        if let entry = owner.entries.first(where: { $0.name == member.name }) {
          return (owner, entry)
        }
      }
      return nil
    }
    return moduleName(index, in: state).flatMap { described(path: $0) }
  }

  /// Returns the documentation of the function with a path. For example, `lull.json.encode` is the
  /// entry `encode` of the owner `lull.json`.
  private func described(path: String) -> (APIOwner, APIEntry)? {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    let name = path[path.index(after: dot)...]
    guard let owner = description.owner(String(path[..<dot])),
      let entry = owner.entries.first(where: { $0.name == name })
    else { return nil }
    return (owner, entry)
  }

  private func moduleName(_ index: Int32, in state: OpaquePointer?) -> String? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    return lull_module_name(bridge.pointer, state, index).map { String(cString: $0) }
  }
}
