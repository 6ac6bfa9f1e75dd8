import LullClients
import LullTestSupport

@testable import LullHost

/// A script of random calls, made from a seed: every member that is described, with arguments that
/// mostly fit, callbacks that make random calls again, and collections at random moments.
///
/// New members are called as soon as they are described.
struct RandomScript {
  var random: SeededGenerator
  var depth = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// The script's text.
  static func text(seed: UInt64) -> String {
    var script = RandomScript(seed: seed)
    var lines = [prelude, "math.randomseed(\(seed))"]
    for _ in 0..<(10 + script.random.below(50)) {
      let statements = (0..<(1 + script.random.below(16))).map { _ in "  " + script.statement() }
      let body = statements.joined(separator: "\n")
      lines.append("groups[#groups + 1] = function()\n\(body)\nend")
    }
    // The same statements once more find other values.
    lines.append(
      """
      for i = 1, 6 * #groups do
        round = i // #groups
        local group = groups[i % #groups + 1]
        if i % 5 == 0 then group() else lull.spawn(group) end
      end
      """)
    return lines.joined(separator: "\n")
  }

  static let kinds =
    APIDescription.whole.owners.filter { $0.handle != nil && $0.handle != .module }.map(\.name)
    + ["table", "function", "thread", "userdata", "string", "number"]

  /// What ends the process, reaches outside of it or writes to standard output.
  private static let left: Set<String> = [
    "exit", "demo", "repl", "help", "write_file", "read_file", "file", "args", "download", "share",
  ]

  private struct Member {
    let owner: APIOwner
    let entry: APIEntry
  }

  private static let members: [String: [Member]] = {
    var members: [String: [Member]] = [:]
    for owner in APIDescription.whole.owners {
      for entry in owner.entries {
        switch (owner.kind, entry.kind) {
        case (.module, .function), (.object, .method), (.object, .property), (.object, .operation):
          guard !left.contains(entry.name) else { continue }
          members[owner.name, default: []].append(Member(owner: owner, entry: entry))
        default: break
        }
      }
    }
    return members
  }()

  /// Those whose calls lead furthest come oftener.
  private static let owners =
    members.keys.sorted() + ["lull", "lull", "lull", "lull", "Service", "Service", "Service"]
    + Array(repeating: "Resource", count: 8) + Array(repeating: "Request", count: 6)
    + ["Task", "Configuration", "Pipeline", "PipelineStage"]

  // MARK: Statements

  mutating func statement() -> String {
    switch random.below(20) {
    case 0: return collection()
    case 1: return tried("lull.sleep(\(random.pick(["0", "0", "0.01", "1", "40"]) ?? "0"))")
    case 2: return tried("\(picked(random.chance(2) ? "Task" : "Request")):await()")
    case 3: return tried("lull.spawn(\(value(ofType: "fun(): any")))")
    case 4: return coroutineStatement()
    case 5: return "drop(\(quoted(random.pick(Self.kinds) ?? "")))"
    case 6: return operation()
    case 7: return byLetters()
    case 8: return random.chance(3) ? precompiled() : resource()
    default: return member()
    }
  }

  private func tried(_ expression: String) -> String { "try(function() return \(expression) end)" }

  private mutating func collection() -> String {
    let argument = random.pick([
      "", #""step", 1"#, #""step", 100"#, #""generational""#, #""incremental""#, #""stop""#,
      #""restart""#,
    ])
    return "collectgarbage(\(argument ?? "")) collectgarbage(\"restart\")"
  }

  /// A resource that answers, so that what comes later has something to work on.
  private mutating func resource() -> String {
    let path = quoted("/\(random.below(8))")
    return random.pick([
      tried("api(\(path))"), tried("api(\(path)):load()"),
      tried("api(\(path)):load():await()"),
      tried("api(\(path)):post({ json = \(anything()) })"),
      tried("api(\(path)):observe(\(value(ofType: "ObserverFunction")))"),
      tried("api(\(path)):load().response"), tried("api(\(path)).latest_data"),
    ]) ?? ""
  }

  private mutating func coroutineStatement() -> String {
    let body = value(ofType: "fun(...: any): any")
    switch random.below(6) {
    case 0: return tried("coroutine.create(\(body))")
    case 1: return tried("coroutine.wrap(\(body))()")
    case 2: return tried("coroutine.resume(\(picked("thread")), \(anything()))")
    case 3: return tried("coroutine.close(\(picked("thread")))")
    case 4: return tried("\(picked("function"))(\(anything()), \(anything()))")
    default:
      return "try(function() local guard <close> = setmetatable({}, { __close = \(body) }) "
        + "return \(anything()) end)"
    }
  }

  /// A precompiled chunk that is patched: it must not be taken, whatever the mode.
  private mutating func precompiled() -> String {
    let mode = String((0..<random.below(4)).compactMap { _ in random.pick(Array("bbtx ")) })
    let argument = random.chance(6) ? "nil" : quoted(mode)
    return tried(
      "precompiled(\(random.below(3)), \(random.below(4000)), \(random.below(256)), \(argument), "
        + "\(random.below(3)))")
  }

  private mutating func operation() -> String {
    let a = anything()
    let b = anything()
    return random.pick([
      tried("\(a) == \(b)"), tried("tostring(\(a)) .. tostring(\(b))"), tried("#(\(a))"),
      tried("(\(a))[\(b)]"), "try(function() (\(a))[\(b)] = \(anything()) end)",
      "try(function() for k, v in pairs(\(a)) do put(v) end end)", tried("lull.copy(\(a))"),
      tried("lull.inspect(\(a))"), tried("lull.json.encode(\(a))"),
      tried("setmetatable({ \(a) }, { __gc = \(value(ofType: "fun(): any")) })"),
      tried("setmetatable({ \(a) }, { __mode = \"k\" })"),
      tried("table.sort({ 3, 1, 2 }, \(value(ofType: "fun(a: any, b: any): boolean")))"),
      tried("select(2, pcall(string.gsub, \"abc\", \".\", \(value(ofType: "fun(): string"))))"),
    ]) ?? ""
  }

  /// A described member, with arguments of the types described.
  private mutating func member() -> String {
    guard let owner = random.pick(Self.owners), let member = random.pick(Self.members[owner] ?? [])
    else { return "" }
    let entry = member.entry
    let receiver =
      if case .module = member.owner.kind { member.owner.name } else { picked(member.owner.name) }
    let arguments = self.arguments(entry)
    switch entry.kind {
    case .function: return tried("\(receiver).\(entry.name)(\(arguments))")
    case .method: return tried("\(receiver):\(entry.name)(\(arguments))")
    case .property where entry.isWritable && random.chance(2):
      let new = value(ofType: entry.type, named: entry.name)
      return "try(function() (\(receiver)).\(entry.name) = \(new) end)"
    case .property: return tried("(\(receiver)).\(entry.name)")
    default: return operation(entry.name, on: receiver, arguments)
    }
  }

  private mutating func operation(_ name: String, on receiver: String, _ arguments: String)
    -> String
  {
    switch name {
    case "__call": tried("\(receiver)(\(arguments))")
    case "__index": tried("(\(receiver))[\(string(named: "header"))]")
    case "__newindex":
      "try(function() (\(receiver))[\(string(named: "header"))] = \(anything()) end)"
    case "__pairs": "try(function() for k, v in pairs(\(receiver)) do put(v) end end)"
    case "__len": tried("#\(receiver)")
    case "__eq": tried("\(receiver) == \(anything())")
    case "__close": "try(function() local guard <close> = \(receiver) end)"
    default: tried("tostring(\(receiver))")
    }
  }

  private mutating func arguments(_ entry: APIEntry) -> String {
    guard let signature = random.pick(entry.signatures) else { return "" }
    var values: [String] = []
    for parameter in signature.parameters {
      if parameter.isVariadic {
        values += (0..<random.below(3)).map { _ in anything() }
      } else if !parameter.isOptional || random.chance(2) {
        values.append(value(ofType: parameter.type, named: parameter.name))
      } else {
        break
      }
    }
    if random.chance(30) { values.append(anything()) }
    return values.joined(separator: ", ")
  }

  /// A method of the bridge's own table, by its letters, on an object that may be another's.
  private mutating func byLetters() -> String {
    let library = LuaLibrary.withClients
    let methods = library.members.enumerated().filter { _, member in
      member.role == .method && !Self.left.contains(member.name) && member.path != "os.exit"
    }
    guard let (number, method) = random.pick(methods) else { return "" }
    let name = method.name
    var values = library.letters(Int32(number)).map { letter in
      switch letter.lowercased() {
      case "s": string(named: "")
      case "n": value(ofType: "number")
      case "i": value(ofType: "integer")
      case "b": value(ofType: "boolean")
      case "f": value(ofType: "fun(): any")
      case "t": value(ofType: "table")
      default: anything()
      }
    }
    if method.kind == .module {
      return tried("lull.\(method.path)(\(values.joined(separator: ", ")))")
    }
    let other = random.chance(5) ? anything() : picked(method.kind.name)
    values.insert(other, at: 0)
    let field = name.hasPrefix("__") ? "tostring" : "(\(picked(method.kind.name))).\(name)"
    return tried("\(field)(\(values.joined(separator: ", ")))")
  }
}
