import CLullBridge
import LullLibC

/// The functions of the Lua API in a program: first the functions of the host itself, then the
/// functions of extensions.
///
/// The program creates a library once and never frees it, because the bridge of every state reads
/// it. A library may be used on any thread.
package final class LuaLibrary: Sendable {
  /// A member of the Lua API, described by the data that the bridge has.
  package struct Member {
    package enum Role: Int32 {
      case method
      case getter
      case setter
    }

    package let kind: HandleKind
    package let role: Role
    package let name: String
    /// The path of a module function in Lua, such as `time.parse`.
    package let path: String
  }

  /// The members in the bridge's format. The number of a member is its index.
  // The initialiser creates the array. Afterwards only the letters of a member change, once and
  // atomically.
  nonisolated(unsafe) let bridged: UnsafeMutablePointer<lull_method>
  private let count: Int
  /// The implementations of the members. This is a pointer instead of an array, because each call
  /// would retain and release the array.
  // Written by the initialiser, and read-only afterwards.
  nonisolated(unsafe) private let sources: UnsafePointer<MemberRow>
  private let extensions: [any HostExtension.Type]

  /// The documentation of the functions and types. Each access creates the description again.
  package var description: APIDescription { APIDescription(with: extensions) }

  /// Returns the possible values of the first argument of a module function, if they are a fixed
  /// set.
  ///
  /// - Parameter typed: the beginning of the argument.
  package func choices(for function: String, typed: String) -> [String] {
    extensions.flatMap { $0.choices(for: function, typed: typed) }
  }

  /// The library without extensions.
  package static let plain = LuaLibrary()

  package init(_ extensions: [any HostExtension.Type] = []) {
    var rows = MemberRow.own
    for part in extensions {
      MemberRow.add(part.functions, of: .lull, to: &rows)
      for owner in part.types { MemberRow.add(owner, to: &rows) }
      for owner in part.unseen { MemberRow.add(owner, to: &rows) }
    }
    count = rows.count
    bridged = UnsafeMutablePointer<lull_method>.allocate(capacity: count)
    let sources = UnsafeMutablePointer<MemberRow>.allocate(capacity: count)
    for index in 0..<count {
      (bridged + index).initialize(to: rows[index].bridged)
      (sources + index).initialize(to: rows[index])
    }
    self.sources = UnsafePointer(sources)
    self.extensions = extensions
  }

  /// Returns the implementation of the member with that number, which is its index in `bridged`.
  func body(_ number: Int32) -> APIEntry.Body { sources[Int(number)].body }

  /// The members in the bridge's format, as a buffer.
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

  /// Returns the number of one of the host's own members, which is the same in every library.
  static func index(_ kind: HandleKind, _ name: String) -> Int32 {
    LuaLibrary.index(kind, name, in: MemberRow.own.lazy.map(\.bridged))
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

  /// Derives, stores and returns the argument letters of a member that is called for the first
  /// time.
  func deriveArguments(_ number: Int32) -> UnsafePointer<CChar>? {
    let letters = sources[Int(number)].signature.withUTF8Buffer {
      ArgumentLetters(named: named).letters(of: $0)
    }
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: letters.count + 1)
    _ = UnsafeMutableBufferPointer(start: text, count: letters.count + 1)
      .initialize(from: letters.map(CChar.init(bitPattern:)) + [0])
    // Another thread may have stored the letters first.
    let kept = lull_method_keep_arguments(bridged + Int(number), text)
    if kept != UnsafePointer(text) { text.deallocate() }
    return kept
  }

  /// Returns the kind of type to which a name in a signature refers.
  private func named(_ name: UnsafeBufferPointer<UInt8>) -> ArgumentLetters.Named {
    if let named = LuaLibrary.named(name, among: APIDescription.own) { return named }
    for part in extensions {
      if let named = LuaLibrary.named(name, among: part.types) { return named }
    }
    return .object
  }

  private static func named(
    _ name: UnsafeBufferPointer<UInt8>, among owners: [APIOwner]
  ) -> ArgumentLetters.Named? {
    for index in owners.indices {
      guard let label = owners[index].label, let base = name.baseAddress,
        label.utf8CodeUnitCount == name.count,
        memcmp(label.utf8Start, base, name.count) == 0
      else { continue }
      switch owners[index].kind {
      case .alias(let type): return .alias(type)
      case .table: return .table
      case .words: return .words
      case .module, .object: return .object
      }
    }
    return nil
  }
}

/// A member in the bridge's format, with its implementation. Rows are created whenever the program
/// starts, so a row copies only the needed parts of an API entry.
private struct MemberRow {
  var bridged: lull_method
  let body: APIEntry.Body
  /// The signatures of the member; empty if they are generated.
  let signature: StaticString

  /// The rows of the host's own members.
  // The pointers in the rows refer only to literals, and nothing changes the rows.
  nonisolated(unsafe) static let own: [MemberRow] = {
    var rows: [MemberRow] = []
    rows.reserveCapacity(512)
    for owner in APIDescription.own { add(owner, to: &rows) }
    for owner in APIDescription.unseen { add(owner, to: &rows) }
    return rows
  }()

  static func add(_ owner: APIOwner, to rows: inout [MemberRow]) {
    switch owner.kind {
    case .alias, .table, .words: return
    case .module, .object: break
    }
    add(owner.hidden(), of: owner, to: &rows)
    guard !owner.isLookup else { return }
    for entries in owner.groups() { add(entries, of: owner, to: &rows) }
  }

  static func add(_ entries: [APIEntry], of owner: APIOwner, to rows: inout [MemberRow]) {
    let kind = owner.handle ?? .module
    let module = kind == .module ? owner.table : nil
    for index in entries.indices {
      guard case .literal(let name) = entries[index].label else { continue }
      var signature: StaticString = ""
      if case .literal(let text) = entries[index].signatureText { signature = text }
      var bridged = lull_method(
        name: name.cString, table: module, arguments: entries[index].arguments?.cString,
        kind: kind.rawValue, role: LuaLibrary.Member.Role.method.rawValue)
      if let body = entries[index].body {
        if entries[index].kind == .property {
          bridged.role = LuaLibrary.Member.Role.getter.rawValue
        }
        rows.append(MemberRow(bridged: bridged, body: body, signature: signature))
      }
      if let setter = entries[index].setter {
        bridged.role = LuaLibrary.Member.Role.setter.rawValue
        rows.append(MemberRow(bridged: bridged, body: setter, signature: signature))
      }
    }
  }
}

extension APIOwner {
  /// The name of the module table that contains the functions of the owner, as a C string. It is
  /// nil if the owner is the module `lull` itself.
  fileprivate var table: UnsafePointer<CChar>? {
    guard let label else { return nil }
    let prefix: StaticString = "lull"
    guard strncmp(label.cString, prefix.cString, prefix.utf8CodeUnitCount) == 0 else {
      return label.cString
    }
    // The name of the table follows the dot.
    let isModule = label.utf8CodeUnitCount == prefix.utf8CodeUnitCount
    return isModule ? nil : label.cString + prefix.utf8CodeUnitCount + 1
  }
}
