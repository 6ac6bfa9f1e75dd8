import Testing

@testable import LullHost

/// The description by itself: types, rules, sentences, examples.
@Suite(.timeLimit(.minutes(20)))
struct APIDescriptionTextTests {
  /// What cannot run beside other tests, only compile.
  private static let compiledOnly: Set<String> = [
    "lull.cache.shared", "lull.demo", "lull.get", "lull.post", "os.exit",
  ]

  private var all: [(name: String, entry: APIEntry)] {
    APIDescription.whole.owners.flatMap { owner in
      owner.entries.map { ("\(owner.name).\($0.name)", $0) }
    }
  }

  @Test func `names are unique`() {
    let owners = APIDescription.whole.owners.map(\.name)
    #expect(Set(owners).count == owners.count)
    let names = all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test func `every line of a signature can be read`() {
    for (name, entry) in all {
      let lines = entry.signature.split(separator: "\n")
      #expect(entry.signatures.count == lines.count, "\(name): \(entry.signature)")
      switch entry.kind {
      case .function, .method, .operation: #expect(!lines.isEmpty, "\(name) has no signature")
      case .property, .field: #expect(!entry.type.isEmpty, "\(name) has no type")
      case .word: break
      }
    }
  }

  @Test func `signatures are split where they should be`() throws {
    let signature = try #require(
      APISignature("(a: fun(x: string, y?: any): boolean, b?: table<string, any>, ...: any): A?, B")
    )
    #expect(signature.parameters.map(\.name) == ["a", "b", "..."])
    #expect(
      signature.parameters.map(\.type)
        == ["fun(x: string, y?: any): boolean", "table<string, any>", "any"])
    #expect(signature.parameters.map(\.isOptional) == [false, true, true])
    #expect(signature.returns == ["A?", "B"])
    #expect(APISignature("()")?.parameters.isEmpty == true)
    for malformed in ["", "(", "a: string", "(a)", "(a:)", "() string", "():"] {
      #expect(APISignature(malformed) == nil, "\(malformed)")
    }
  }

  @Test func `every type is one of Lua or described`() {
    let known: Set<String> = [
      "string", "number", "integer", "boolean", "table", "function", "any", "nil", "false", "fun",
    ]
    let owners = Set(APIDescription.whole.owners.map(\.name))
    for (name, entry) in all {
      let types =
        entry.signatures.flatMap { $0.parameters.map(\.type) + $0.returns } + [entry.type]
      for type in types {
        for word in typeNames(in: type) {
          #expect(known.contains(word) || owners.contains(word), "\(name): type \(word)")
        }
      }
    }
  }

  /// The words of a type, without names of parameters and fields.
  private func typeNames(in type: String) -> [String] {
    var words: [String] = []
    var current = ""
    // What stands in quotes is a string, not the name of a type.
    for character in type.replacing(/"[^"]*"/, with: "string") + " " {
      if character.isLetter || character.isNumber || character == "_" {
        current.append(character)
      } else if character == "?" {
        // Ends a name as well as a type.
        current.append(character)
      } else {
        if !current.isEmpty, character != ":" {
          words.append(String(current.filter { $0 != "?" }))
        }
        current = ""
      }
    }
    return words.filter { !$0.isEmpty }
  }

  @Test func `summaries are sentences`() {
    for (name, entry) in all {
      #expect(entry.summary.hasSuffix("."), "\(name)")
      #expect(!entry.summary.contains("\n"), "\(name)")
      #expect(entry.text.isEmpty || entry.text.hasSuffix("."), "\(name)")
    }
    for owner in APIDescription.whole.owners {
      #expect(owner.summary.hasSuffix("."), "\(owner.name)")
    }
  }

  @Test func `rules are IDs`() {
    for (name, entry) in all {
      for rule in entry.rules.split(separator: " ") {
        #expect(rule.wholeMatch(of: /[A-Z]{2,5}-[0-9]{2,3}/) != nil, "\(name): \(rule)")
      }
    }
  }

  @Test func `lookups find members with and without their owner`() {
    #expect(APIDescription.whole.entries(named: "lull.sleep").map(\.entry.name) == ["sleep"])
    #expect(APIDescription.whole.entries(named: "Resource.load").map(\.owner.name) == ["Resource"])
    #expect(
      Set(APIDescription.whole.entries(named: "cancel").map(\.owner.name))
        == ["Request", "Task", "CustomRequest"])
    #expect(APIDescription.whole.entries(named: "nothing").isEmpty)
  }

  @Test func `what runs nowhere is listed for a reason`() {
    for name in Self.compiledOnly {
      #expect(all.contains { $0.name == name && !$0.entry.example.isEmpty }, "\(name)")
    }
  }

  @Test func `every example compiles`() throws {
    let harness = try HostHarness()
    for (name, entry) in all where !entry.example.isEmpty {
      let end = harness.run(
        """
        local chunk, problem = load([====[\(APIDescription.prelude)
        \(entry.example)]====], "=\(name)")
        return problem or "fine"
        """)
      #expect(end == .finished("fine"), "\(name)")
    }
    harness.finish()
  }

  @Test func `every example of what is built runs and prints what it says`() throws {
    for (name, entry) in all where !entry.example.isEmpty {
      guard !APIDescriptionGaps.notYetBuilt.contains(name), !Self.compiledOnly.contains(name) else {
        continue
      }
      try run(entry.example, of: name)
    }
  }

  /// `print` keeps its lines; each must be in a comment `--> line`, and the other way round.
  private func run(_ example: String, of name: String) throws {
    let harness = try HostHarness()
    harness.run(
      """
      lines = {}
      function print(...)
        local texts = table.pack(...)
        for i = 1, texts.n do texts[i] = tostring(texts[i]) end
        lines[#lines + 1] = table.concat(texts, " ")
      end
      """)
    harness.run(
      """
      local ok, problem = pcall(function()
      \(APIDescription.prelude)
      \(example)
      end)
      outcome = ok and "fine" or tostring(problem)
      """, settling: false)
    // As the command runs a script: `lull.run` in it waits for everything else.
    harness.host.loop.runUntilIdle()
    #expect(harness.run("return outcome") == .finished("fine"), "\(name)")
    #expect(harness.host.reporter.errorCount == 0, "\(name) had errors in callbacks")
    let printed = harness.run("return table.concat(lines, '\\n')")
    #expect(printed == .finished(promisedLines(of: example)), "\(name)")
    harness.run("lines, outcome, print = nil lull.log.enabled, lull.log.handler = nil, nil")
    harness.finish()
  }

  private func promisedLines(of example: String) -> String {
    example.split(separator: "\n").compactMap { line in
      line.firstRange(of: "--> ").map { String(line[$0.upperBound...]) }
    }.joined(separator: "\n")
  }
}
