import CLullBridge
import LullLibC

/// The functions of the Lua API that the hosts of a program have: the host's own, then those of
/// extensions.
///
/// Made once for a process by whoever puts the program together, and never freed: the bridge of every
/// state reads it. Any thread.
package final class LuaLibrary: Sendable {
  /// A member as the bridge has it.
  package struct Member {
    package enum Role: Int32 {
      case method
      case getter
      case setter
    }

    package let kind: HandleKind
    package let role: Role
    package let name: String
    /// What it is called in Lua, of a function of the module: `time.parse`.
    package let path: String
  }

  /// The bridge's form of the members, in the order it numbers them.
  // Made by the initialiser. After that only the letters of a member change, once and as a whole.
  nonisolated(unsafe) let bridged: UnsafeMutablePointer<lull_method>
  private let count: Int
  /// What they do. Not in an array, which each call would hold and let go of.
  // Written by the initialiser, read-only ever after.
  nonisolated(unsafe) private let bodies: UnsafeBufferPointer<APIEntry.Body>
  /// One for each member whose letters follow from it, else empty.
  private let signatures: [StaticString]
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
    var rows = MemberRows.own
    for part in extensions {
      rows.add(part.functions, of: .lull)
      for owner in part.types + part.unseen { rows.add(owner) }
    }
    count = rows.table.count
    let table = UnsafeMutablePointer<lull_method>.allocate(capacity: count)
    _ = UnsafeMutableBufferPointer(start: table, count: count).initialize(from: rows.table)
    bridged = table
    let bodies = UnsafeMutableBufferPointer<APIEntry.Body>.allocate(capacity: count)
    _ = bodies.initialize(from: rows.bodies)
    self.bodies = UnsafeBufferPointer(bodies)
    signatures = rows.signatures
    self.extensions = extensions
  }

  /// What the member of that number does; the bridge has it from `bridged`.
  func body(_ number: Int32) -> APIEntry.Body { bodies[Int(number)] }

  /// The table and its length, for the bridge.
  var rows: UnsafeBufferPointer<lull_method> { UnsafeBufferPointer(start: bridged, count: count) }

  package var members: [Member] { (0..<count).compactMap { member(Int32($0)) } }

  func member(_ number: Int32) -> Member? {
    guard rows.indices.contains(Int(number)) else { return nil }
    let row = rows[Int(number)]
    guard let kind = HandleKind(rawValue: row.kind), let role = Member.Role(rawValue: row.role),
      let text = row.name
    else { return nil }
    let name = String(cString: text)
    let path = row.table.map { "\(String(cString: $0)).\(name)" }
    return Member(kind: kind, role: role, name: name, path: path ?? name)
  }

  /// The number of one of the host's own members, which is the same in every library.
  static func index(_ kind: HandleKind, _ name: String) -> Int32 {
    LuaLibrary.index(kind, name, in: MemberRows.own.table)
  }

  func index(_ kind: HandleKind, _ name: String) -> Int32 {
    LuaLibrary.index(kind, name, in: rows)
  }

  private static func index(
    _ kind: HandleKind, _ name: String, in rows: some Collection<lull_method>
  ) -> Int32 {
    let index = rows.enumerated().first { row in
      row.element.kind == kind.rawValue
        && row.element.name.map { strcmp($0, name) == 0 } ?? false
    }
    return Int32(index?.offset ?? 0)
  }

  /// The letters of a member that has been called for the first time. They stay.
  func deriveArguments(_ number: Int32) -> UnsafePointer<CChar>? {
    let signature = signatures[Int(number)].withUTF8Buffer { Array($0) }
    let letters = ArgumentLetters(named: named).letters(of: signature)
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: letters.count + 1)
    _ = UnsafeMutableBufferPointer(start: text, count: letters.count + 1)
      .initialize(from: letters.map(CChar.init(bitPattern:)) + [0])
    // Another thread may have been faster.
    let kept = lull_method_keep_arguments(bridged + Int(number), text)
    if kept != UnsafePointer(text) { text.deallocate() }
    return kept
  }

  /// What a type is that a signature names.
  private func named(_ name: String) -> ArgumentLetters.Named {
    func kind(among owners: [APIOwner]) -> APIOwner.Kind? {
      owners.first { $0.name == name }?.kind
    }
    let own = kind(among: APIDescription.own)
    switch own ?? extensions.lazy.compactMap({ kind(among: $0.types) }).first {
    case .alias(let type)?: return .alias(type)
    case .table?: return .table
    case .words?: return .words
    case .module?, .object?, nil: return .object
    }
  }
}

/// The members of owners, in the form of the bridge.
private struct MemberRows {
  private(set) var table: [lull_method] = []
  private(set) var bodies: [APIEntry.Body] = []
  private(set) var signatures: [StaticString] = []

  /// The host's own.
  // Pointers to literals only, and read-only.
  nonisolated(unsafe) static let own: MemberRows = {
    var rows = MemberRows()
    for owner in APIDescription.own { rows.add(owner) }
    for owner in APIDescription.unseen { rows.add(owner) }
    return rows
  }()

  mutating func add(_ owner: APIOwner) {
    switch owner.kind {
    case .alias, .table, .words: return
    case .module, .object: break
    }
    add(owner.hidden(), of: owner)
    if !owner.isLookup { add(owner.entries, of: owner) }
  }

  mutating func add(_ entries: [APIEntry], of owner: APIOwner) {
    let kind = owner.handle ?? .module
    let module = kind == .module ? owner.table : nil
    for index in entries.indices {
      guard case .literal(let name) = entries[index].label else { continue }
      var row = lull_method(
        name: name.cString, table: module, arguments: nil, kind: kind.rawValue,
        role: LuaLibrary.Member.Role.method.rawValue)
      if let body = entries[index].body {
        if entries[index].kind == .property {
          row.role = LuaLibrary.Member.Role.getter.rawValue
        } else {
          row.arguments = entries[index].knownArguments?.cString
        }
        add(row, body, entries[index].signatureText)
      }
      if let setter = entries[index].setter {
        row.role = LuaLibrary.Member.Role.setter.rawValue
        add(row, setter, entries[index].signatureText)
      }
    }
  }

  private mutating func add(_ row: lull_method, _ body: @escaping APIEntry.Body, _ text: APIText) {
    table.append(row)
    bodies.append(body)
    guard case .literal(let signature) = text else { return signatures.append("") }
    signatures.append(signature)
  }
}

extension APIOwner {
  /// The table of the module that holds its functions, as a C string; nil for the module itself.
  fileprivate var table: UnsafePointer<CChar>? {
    guard let label else { return nil }
    let prefix: StaticString = "lull"
    guard strncmp(label.cString, prefix.cString, prefix.utf8CodeUnitCount) == 0 else {
      return label.cString
    }
    // Behind the dot.
    let isModule = label.utf8CodeUnitCount == prefix.utf8CodeUnitCount
    return isModule ? nil : label.cString + prefix.utf8CodeUnitCount + 1
  }
}

extension APIEntry {
  /// The letters of arguments that need not be derived.
  fileprivate var knownArguments: StaticString? {
    if let arguments { return arguments }
    return kind == .operation && !isCall ? "*" : nil
  }

  private var isCall: Bool {
    guard case .literal(let name) = label else { return false }
    return strcmp(name.cString, "__call") == 0
  }
}
