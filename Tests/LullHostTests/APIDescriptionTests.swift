import CLullBridge
import LullCore
import LullProving
import Testing

@testable import LullHost

/// The description against the bridge's table of methods.
@Suite(.timeLimit(.minutes(20)))
struct APIDescriptionTests {
  /// What every object has and nobody calls by name.
  private static let universal: Set<String> = ["__tostring", "__copy"]

  /// Objects that scripts never see: their functions come bound, as arguments and results, and are
  /// described with what brings them.
  private static let unseen: Set<String> = [
    "Completion", "Handler", "Iterator", "Proof", "Stub", "Variables",
  ]

  /// The entries of what the bridge calls by that name.
  private func entries(for method: Method) -> [(owner: APIOwner, entry: APIEntry)] {
    var name = method.name.description
    if method.kind == .module {
      var path = "lull"
      if let dot = name.firstIndex(of: ".") {
        let table = name[..<dot]
        path = table == "os" ? "os" : "lull.\(table)"
        name = String(name[name.index(after: dot)...])
      }
      return APIDescription.whole.owners.filter { $0.name == path }.flatMap { owner in
        owner.entries.filter { $0.name == name }.map { (owner, $0) }
      }
    }
    return APIDescription.whole.owners.filter { $0.handle == method.kind }.flatMap { owner in
      owner.entries.filter { $0.name == name }.map { (owner, $0) }
    }
  }

  /// Whether it is how properties of the kind are reached that have no getter or setter each.
  private func isLookup(_ method: Method) -> Bool {
    guard ["__index", "__newindex"].contains(method.name.description),
      let owner = APIDescription.whole.owners.first(where: { $0.handle == method.kind }),
      !owner.entries.contains(where: { $0.name == method.name.description })
    else { return false }
    let own = LuaLibrary.withProving.methods.filter { $0.kind == method.kind && $0.role == .getter }
    return owner.entries.contains { entry in
      entry.kind == .property && !own.contains { $0.name.description == entry.name }
    }
  }

  private var named: [Method] {
    LuaLibrary.withProving.methods.filter { method in
      !Self.universal.contains(method.name.description) && !isLookup(method)
        && !Self.unseen.contains(method.kind.name)
    }
  }

  @Test func `every member of the bridge has exactly one fitting entry`() {
    for method in named {
      let found = entries(for: method)
      #expect(found.count == 1, "\(method.kind).\(method.name) has \(found.count) entries")
      for (_, entry) in found {
        let fits =
          switch method.role {
          case .getter: entry.kind == .property
          case .setter: entry.kind == .property && entry.isWritable
          case .method where method.kind == .module: entry.kind == .function
          case .method where method.name.description.hasPrefix("__"): entry.kind == .operation
          case .method: entry.kind == .method
          }
        #expect(fits, "\(method.kind).\(method.name) is described as a \(entry.kind)")
      }
    }
  }

  @Test func `only objects that nobody sees are left out`() {
    for owner in APIDescription.whole.owners {
      guard let kind = owner.handle else { continue }
      #expect(!Self.unseen.contains(kind.name), "\(owner.name)")
    }
    // Who sees an object can print it.
    for method in LuaLibrary.withProving.methods where Self.unseen.contains(method.kind.name) {
      #expect(method.role == .method, "\(method.kind).\(method.name)")
      #expect(!method.name.description.hasPrefix("__"), "\(method.kind).\(method.name)")
    }
  }

  @Test func `every object has a readable text`() {
    for owner in APIDescription.whole.owners {
      guard let kind = owner.handle else { continue }
      let members = LuaLibrary.withProving.methods.filter { $0.kind == kind }.map(
        \.name.description)
      guard !members.isEmpty else { continue }
      #expect(members.contains("__tostring"), "\(owner.name) has no __tostring")
    }
  }

  @Test func `parameters are those the bridge checks`() {
    for method in named where method.role == .method {
      guard let found = entries(for: method).first else { continue }
      let name = "\(found.owner.name).\(found.entry.name)"
      let signatures = found.entry.signatures
      #expect(!signatures.isEmpty, "\(name) has no signature")
      for signature in signatures {
        check(method.arguments.description, signature.parameters, of: name)
      }
    }
  }

  /// Members whose letters do not follow from their signatures: those that say themselves what does not
  /// fit, and metamethods, which Lua hands what it likes.
  private static let toldApart: Set<String> = [
    "Resource.optional_relative", "Service.resource_at", "Service.configure", "Service.transform",
    "os.exit", "lull.get", "lull.post", "lull.put", "lull.patch", "lull.delete", "lull.head",
    "lull.options", "lull.request", "Events.__call", "Watch.__call", "Pages.__call",
    "Changes.__call",
  ]

  @Test func `letters follow from signatures`() {
    let letters = ArgumentLetters { name in
      guard let owner = APIDescription.whole.owner(name) else { return .object }
      switch owner.kind {
      case .alias(let type): return .alias(type)
      case .table: return .table
      case .words: return .words
      case .module, .object: return .object
      }
    }
    for method in named where method.role == .method {
      guard let found = entries(for: method).first else { continue }
      let name = "\(found.owner.name).\(found.entry.name)"
      let isMetamethod = found.entry.kind == .operation && found.entry.name != "__call"
      guard !Self.toldApart.contains(name), !isMetamethod else { continue }
      let derived = letters.letters(of: Array(found.entry.signature.utf8))
      #expect(
        String(decoding: derived, as: UTF8.self) == method.arguments.description, "\(name)")
    }
  }

  private func check(
    _ letters: String, _ parameters: [APISignature.Parameter], of name: String
  ) {
    let isOpen = letters.hasSuffix("*")
    let checked = letters.filter { $0 != "*" }
    if !isOpen {
      #expect(parameters.count <= checked.count, "\(name) takes \(checked.count) arguments")
      #expect(!parameters.contains { $0.isVariadic }, "\(name) takes no further arguments")
    }
    for (position, letter) in checked.enumerated() {
      guard position < parameters.count else {
        // Another signature of the same function may be shorter; what is left out must be optional.
        #expect(letter.isUppercase, "\(name) needs argument #\(position + 1)")
        continue
      }
      let parameter = parameters[position]
      #expect(
        parameter.isOptional == letter.isUppercase,
        "\(name): '\(parameter.name)' is \(letter.isUppercase ? "optional" : "required")")
      #expect(
        fits(parameter.type, letter), "\(name): '\(parameter.name)' must fit '\(letter)'")
    }
  }

  /// The type itself where `type` is another name for one.
  private func resolved(_ type: String) -> String {
    if case .alias(let type)? = APIDescription.whole.owner(type)?.kind { return type }
    return type
  }

  private func fits(_ name: String, _ letter: Character) -> Bool {
    let type = resolved(name)
    switch letter.lowercased() {
    case "s":
      return type == "string" || type.split(separator: "|").allSatisfy { $0.hasPrefix("\"") }
    case "n": return type == "number"
    case "i": return type == "integer"
    case "b": return type == "boolean"
    case "f": return type.hasPrefix("fun(")
    case "o":
      let choices = type.split(separator: "|").map { resolved(String($0)) }
      return choices.contains { $0.hasPrefix("fun(") } && choices.contains { fits($0, "t") }
    case "t":
      if type == "table" || type.hasSuffix("[]") || type.hasPrefix("table<") { return true }
      if type.hasPrefix("{") { return true }
      guard case .table? = APIDescription.whole.owner(type)?.kind else { return false }
      return true
    default: return true
    }
  }

  @Test func `every described member exists unless it is not yet built`() throws {
    let harness = try HostHarness()
    for owner in APIDescription.whole.owners {
      for entry in owner.entries {
        guard let exists = try exists(entry, of: owner, harness) else { continue }
        let name = "\(owner.name).\(entry.name)"
        if APIDescriptionGaps.notYetBuilt.contains(name) {
          #expect(!exists, "\(name) exists: take it off the list APIDescriptionGaps.notYetBuilt")
        } else {
          #expect(exists, "\(name) is described but does not exist")
        }
      }
    }
  }

  @Test func `what is not yet built is described`() {
    for name in APIDescriptionGaps.notYetBuilt {
      let isDescribed = APIDescription.whole.owners.contains { owner in
        owner.entries.contains { "\(owner.name).\($0.name)" == name }
      }
      #expect(
        isDescribed,
        "\(name) is on the list APIDescriptionGaps.notYetBuilt, but not in the description")
    }
  }

  /// Nil where the question is not about the bridge (fields and words have tests of their own).
  private func exists(_ entry: APIEntry, of owner: APIOwner, _ harness: HostHarness) throws
    -> Bool?
  {
    // What tests have is there while one runs. (PRV-80)
    if Proof.proofTypes.contains(where: { $0.name == owner.name }) { return nil }
    switch entry.kind {
    case .field, .word: return nil
    case .function: return owner.name == "os" ? true : isInModule(entry, owner, harness)
    case .property where owner.handle == nil: return isInModule(entry, owner, harness)
    case .property, .method, .operation: break
    }
    guard let kind = owner.handle else {
      // Documents: with the property that gives them.
      return LuaLibrary.withProving.methods.contains {
        $0.kind == .entity && $0.name.description == "document"
      }
    }
    let members = LuaLibrary.withProving.methods.filter { $0.kind == kind }
    func has(_ role: Method.Role, _ name: String) -> Bool {
      members.contains { $0.role == role && $0.name.description == name }
    }
    switch entry.kind {
    case .property where kind == .configuration:
      return isInConfiguration(entry, harness)
    case .property:
      let isRead = has(.getter, entry.name) || has(.method, "__index")
      let isWritten = has(.setter, entry.name) || has(.method, "__newindex")
      if isRead, !APIDescriptionGaps.notYetBuilt.contains("\(owner.name).\(entry.name)") {
        #expect(
          entry.isWritable == isWritten,
          "\(owner.name).\(entry.name) is \(isWritten ? "writable" : "read-only")")
      }
      return isRead
    default: return has(.method, entry.name)
    }
  }

  private func isInConfiguration(_ entry: APIEntry, _ harness: HostHarness) -> Bool {
    harness.run(
      """
      local api, isThere = lull.service("https://x.test"), false
      api:configure(function(config)
        isThere = pcall(function() return config["\(entry.name)"] end)
      end)
      api:configuration_for(api("/x"))
      return isThere and "yes" or "no"
      """) == .finished("yes")
  }

  private func isInModule(_ entry: APIEntry, _ owner: APIOwner, _ harness: HostHarness) -> Bool {
    harness.run(
      """
      local value = _G
      for name in ("\(owner.name).\(entry.name)"):gmatch("[^.]+") do
        local has, member = pcall(function() return value[name] end)
        value = has and member or nil
      end
      return value == nil and "no" or "yes"
      """) == .finished("yes")
  }

  @Test func `every function of the module is described`() throws {
    let harness = try HostHarness()
    let end = harness.run(
      """
      local names = {}
      local function walk(path, t)
        for name, value in pairs(t) do
          local full = path .. "." .. name
          if type(value) == "table" and value ~= lull.null then
            walk(full, value)
          elseif full ~= "lull.log" then
            names[#names + 1] = full
          end
        end
      end
      walk("lull", lull)
      table.sort(names)
      return table.concat(names, " ")
      """)
    guard case .finished(let text?) = end else {
      Issue.record("ended with \(end)")
      return
    }
    let described = APIDescription.whole.owners.flatMap { owner -> [String] in
      guard case .module = owner.kind else { return [] }
      return owner.entries.map { "\(owner.name).\($0.name)" }
    }
    for name in text.split(separator: " ") {
      #expect(described.contains(String(name)), "\(name) is not described")
    }
  }
}
