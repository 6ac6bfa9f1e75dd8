import CLullBridge
import LullCore
import LullTestRunner
import Testing

@testable import LullHost

/// The description, and the bridge's table of members that is made of it.
@Suite(.timeLimit(.minutes(20)))
struct APIDescriptionTests {
  /// Objects that scripts never see: their functions come bound, as arguments and results, and are
  /// described with what brings them.
  private static let unseen: Set<String> = [
    "Completion", "Handler", "Iterator", "TestCase", "Stub", "Variables",
  ]

  @Test func `only objects that nobody sees are left out`() {
    for owner in APIDescription.whole.owners {
      guard let kind = owner.handle else { continue }
      #expect(!Self.unseen.contains(kind.name), "\(owner.name)")
    }
    // Who sees an object can print it.
    for method in LuaLibrary.withTests.members where Self.unseen.contains(method.kind.name) {
      #expect(method.role == .method, "\(method.kind).\(method.name)")
      #expect(!method.name.hasPrefix("__"), "\(method.kind).\(method.name)")
    }
  }

  @Test func `every object has a readable text`() {
    for owner in APIDescription.whole.owners {
      guard let kind = owner.handle else { continue }
      let members = LuaLibrary.withTests.members.filter { $0.kind == kind }.map(
        \.name)
      guard !members.isEmpty else { continue }
      #expect(members.contains("__tostring"), "\(owner.name) has no __tostring")
    }
  }

  @Test func `what is called has signatures that can be read`() {
    for owner in APIDescription.whole.owners {
      for entry in owner.entries where [.function, .method, .operation].contains(entry.kind) {
        let lines = entry.signature.split(separator: "\n")
        #expect(
          !lines.isEmpty && entry.signatures.count == lines.count, "\(owner.name).\(entry.name)")
      }
    }
  }

  private let derived = ArgumentLetters { name in
    switch APIDescription.whole.owner(String(decoding: name, as: UTF8.self))?.kind {
    case .alias(let type)?: .alias(type)
    case .table?: .table
    case .words?: .words
    case .module?, .object?, nil: .object
    }
  }

  @Test(arguments: [
    ("()", ""), ("(name: string)", "s"), ("(pattern: string, options?: \"i\"): Regex", "sS"),
    ("(count: integer, seconds?: number|nil)", "iN"), ("(flag: boolean?)", "B"),
    ("(fn: fun(...): any, ...: any): Task", "f*"), ("(list: any[], fn: fun(item: any): any)", "tf"),
    ("(value: string|number|(string|Secret)[]|nil)", "V"), ("(resource: Resource|string)", "v"),
    ("(options: WatchOptions, fn?: Transformer): Watch", "tF"), ("(kind: CauseKind)", "s"),
    ("(observer: Observer|ObserverFunction, owner?: any)", "oV"),
    ("(base_url: string)\n(options: ServiceOptions)", "v"),
    ("(fn: fun())\n(fn: fun(), seconds: number)", "fN"),
  ])
  func `letters follow from signatures`(_ signature: String, _ letters: String) {
    let derived = Array(signature.utf8).withUnsafeBufferPointer { self.derived.letters(of: $0) }
    #expect(String(decoding: derived, as: UTF8.self) == letters)
  }

  @Test func `letters are written only where they do not follow`() {
    for owner in APIDescription.whole.owners {
      for entry in owner.entries {
        guard let written = entry.arguments else { continue }
        let derived = Array(entry.signature.utf8).withUnsafeBufferPointer {
          self.derived.letters(of: $0)
        }
        #expect(
          String(decoding: derived, as: UTF8.self) != written.description,
          "\(owner.name).\(entry.name)")
      }
    }
  }

  @Test(arguments: [
    (HandleKind.resource, "request", "sVO"), (.resource, "add_observer", "oV"),
    (.resource, "optional_relative", "L"), (.service, "configuration_for", "vS"),
    (.service, "configure", "*"), (.watch, "__call", "*"), (.apiCall, "__call", "T"),
    (.module, "sleep", "n"), (.module, "sha256", "vT"), (.module, "exit", "VV"),
    (.test, "answer", "itn"),
  ])
  func `arguments are checked by letters`(
    _ kind: HandleKind, _ name: String, _ letters: String
  ) {
    let library = LuaLibrary.withTests
    #expect(library.letters(library.index(kind, name)) == letters)
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
    if TestCase.testTypes.contains(where: { $0.name == owner.name }) { return nil }
    switch entry.kind {
    case .field, .word: return nil
    case .function: return owner.name == "os" ? true : isInModule(entry, owner, harness)
    case .property where owner.handle == nil: return isInModule(entry, owner, harness)
    case .property, .method, .operation: break
    }
    guard let kind = owner.handle else {
      // Documents: with the property that gives them.
      return LuaLibrary.withTests.members.contains {
        $0.kind == .entity && $0.name == "document"
      }
    }
    let members = LuaLibrary.withTests.members.filter { $0.kind == kind }
    func has(_ role: LuaLibrary.Member.Role, _ name: String) -> Bool {
      members.contains { $0.role == role && $0.name == name }
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
