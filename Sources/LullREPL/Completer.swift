import LullHost
import LullLibC
import LullLuaSource
import LullSystem

/// Finds what a word at the cursor may become, from what the session's variables hold and from the
/// description of the API. Nothing is run for it.
struct Completer {
  private let session: LuaSession
  private let description: APIDescription

  init(session: LuaSession) {
    self.session = session
    description = session.description
  }

  /// - Parameters:
  ///   - text: the line before the cursor.
  ///   - statement: lines before it that belong to the same statement.
  func completion(of text: String, statement: String) -> Completion {
    if statement.isEmpty, text.hasPrefix("."), let directive = directives(text) { return directive }
    let context = LineContext(statement + text)
    var names: [String] = []
    switch context.kind {
    case .nothing: break
    case .variable: names = variables(context)
    case .stringMethod: names = session.fieldNames(of: ["string"], onlyFunctions: true)
    case .member(let chain, let isMethod): names = members(of: chain, isMethod: isMethod)
    case .key(let place):
      names = keys(of: place, prefix: context.prefix)
      if names.isEmpty { names = variables(context) }
    case .quotedValue(let place):
      names = words(of: place)
    case .quotedKey(let place):
      names = keys(of: place, prefix: context.prefix, areQuoted: true)
    case .quotedField(let chain):
      names = quotedFields(of: chain, prefix: context.prefix)
    case .quotedArgument(let callee, let argument):
      names = strings(for: callee, argument, prefix: context.prefix)
    }
    return Completer.completion(
      of: context.prefix, among: names.filter { !$0.hasPrefix("__") },
      closing: context.closing + (context.kind.isInBrackets ? "]" : ""))
  }

  static func completion(of prefix: String, among names: [String], closing: String = "")
    -> Completion
  {
    let candidates = Set(names.filter { $0.hasPrefix(prefix) }).sorted()
    guard let first = candidates.first else { return Completion() }
    var common = first
    for candidate in candidates.dropFirst() {
      common = String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
    }
    let insertion = common.dropFirst(prefix.count) + (candidates.count == 1 ? closing : "")
    return Completion(insertion: String(insertion), candidates: candidates)
  }

  private func directives(_ text: String) -> Completion? {
    guard !text.contains(" ") else {
      guard let word = [".load ", ".save "].first(where: text.hasPrefix) else { return nil }
      let path = String(text.dropFirst(word.count))
      return Completer.completion(of: path, among: FilePaths.starting(with: path))
    }
    return Completer.completion(of: text, among: Directive.names.map { "." + $0 })
  }

  private func variables(_ context: LineContext) -> [String] {
    session.variableNames + context.declaredNames + LuaToken.keywords
  }

  /// Names of a table's fields that need not be names of Lua; of headers those that are known.
  private func quotedFields(of chain: LineContext.Chain, prefix: String) -> [String] {
    if case .field(let name)? = chain.steps.last, HeaderNames.isMeant(by: name) {
      return HeaderNames.starting(with: prefix)
    }
    guard let path = chain.path else { return [] }
    if let names = session.ownFieldNames(at: path) {
      // What would end the quotes is not offered.
      return names.filter { name in !name.contains { "\"'\\".contains($0) } }
    }
    return session.fieldNames(of: path, onlyFunctions: false, namesOnly: false)
  }

  // MARK: Members

  private func members(of chain: LineContext.Chain, isMethod: Bool) -> [String] {
    if let path = chain.path, session.object(at: path) == nil {
      return session.fieldNames(of: path, onlyFunctions: isMethod)
    }
    if !isMethod, let path = chain.path, let names = session.ownFieldNames(at: path) {
      return names.filter { LuaToken.isName($0) }
    }
    guard let type = type(of: chain) else { return [] }
    if isMethod, Completer.parts(of: type).contains("string") {
      return session.fieldNames(of: ["string"], onlyFunctions: true)
    }
    guard let owner = owners(in: type).first else { return [] }
    let own = isMethod ? chain.path.map { session.ownMethodNames(at: $0) } ?? [] : []
    return owner.entries.filter { $0.kind == (isMethod ? .method : .property) }.map(\.name) + own
  }

  /// What the description says of the object an expression gives.
  private func owner(of chain: LineContext.Chain) -> APIOwner? {
    type(of: chain).flatMap { owners(in: $0).first }
  }

  /// The type of what an expression gives, as the description writes it.
  private func type(of chain: LineContext.Chain) -> String? {
    // As far as values can be looked at; from there on by their types.
    var path = [chain.name]
    var steps = chain.steps[...]
    while let name = steps.first?.pathName {
      path.append(name)
      steps.removeFirst()
    }
    var known: String?
    if let (owner, used) = session.object(at: path) {
      known = owner.name
      for name in path[used...] { known = known.flatMap { property(name, of: $0) } }
    } else if steps.first == .call, let function = session.function(at: path) {
      known = Completer.result(of: function.entry)
      steps.removeFirst()
    }
    while let step = steps.popFirst(), let type = known {
      switch step {
      case .field(let name): known = property(name, of: type)
      case .method(let name):
        guard steps.popFirst() == .call else { return nil }
        known = result(of: name, of: type)
      case .call: known = result(of: "__call", of: type)
      case .element: known = type.hasSuffix("[]") ? String(type.dropLast(2)) : nil
      }
    }
    return known
  }

  private func property(_ name: String, of type: String) -> String? {
    owners(in: type).first?.entries.first { $0.kind == .property && $0.name == name }?
      .type
  }

  private func result(of name: String, of type: String) -> String? {
    owners(in: type).first?.entries.first { $0.name == name }
      .flatMap { Completer.result(of: $0) }
  }

  private static func result(of entry: APIEntry) -> String? {
    entry.signatures.last?.returns.first
  }

  /// The owners a type names: `Settings|SettingsFunction`, `Entity?`; of an alias those it stands for.
  private func owners(in type: String) -> [APIOwner] {
    Completer.parts(of: type).compactMap { description.owner($0) }.flatMap { owner in
      if case .alias(let type) = owner.kind { owners(in: type) } else { [owner] }
    }
  }

  /// The types of which it is one.
  private static func parts(of type: String) -> [String] {
    var depth = 0
    var parts = [""]
    for character in type {
      switch character {
      case "(", "<", "{": depth += 1
      case ")", ">", "}": depth -= 1
      case "|" where depth == 0:
        parts.append("")
        continue
      default: break
      }
      parts[parts.count - 1].append(character)
    }
    return parts.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
  }

  // MARK: Options

  private func keys(
    of place: LineContext.Place, prefix: String, areQuoted: Bool = false
  ) -> [String] {
    if let call = declaredCall(place) {
      return call.argumentNames.filter { areQuoted || LuaToken.isName($0) }
    }
    if HeaderNames.isMeant(by: place.keys.last) {
      return HeaderNames.starting(with: prefix).filter { areQuoted || !$0.contains("-") }
    }
    return describedKeys(of: place)
  }

  /// The call of an API file whose parameters a table is, by itself or with a method.
  private func declaredCall(_ place: LineContext.Place) -> (any SelfDescribing)? {
    guard place.keys.isEmpty, place.argument == 0 else { return nil }
    var callee = place.callee
    if case .method? = callee.steps.last {
      callee = LineContext.Chain(name: callee.name, steps: callee.steps.dropLast())
    }
    return callee.path.flatMap { session.selfDescribing(at: $0) }
  }

  private func describedKeys(of place: LineContext.Place) -> [String] {
    tables(at: place).flatMap(\.entries).map(\.name).filter { !$0.hasPrefix("<") }
  }

  private func words(of place: LineContext.Place) -> [String] {
    guard let key = place.keys.last else { return [] }
    let table = LineContext.Place(
      callee: place.callee, argument: place.argument, keys: place.keys.dropLast())
    if let call = declaredCall(table) { return call.argumentWords(for: key) }
    let types = tables(at: table).flatMap(\.entries).filter { $0.name == key }.map(\.type)
    let words = types.flatMap { owners(in: $0) }.flatMap(\.entries)
      .filter { $0.kind == .word }.map(\.name)
    // A type may also name the strings themselves.
    let literals = types.flatMap { type in
      LuaToken.all(in: type.utf8).filter { $0.kind == .string }.map(\.text)
    }
    return words + literals
  }

  /// The tables of options that may stand there.
  private func tables(at place: LineContext.Place) -> [APIOwner] {
    guard let entry = entry(of: place.callee) else { return [] }
    var tables: [APIOwner] = []
    for signature in entry.signatures where place.argument < signature.parameters.count {
      // What else may stand there, such as a resource for a pattern, is no table of options.
      tables += owners(in: signature.parameters[place.argument].type).filter(\.isTable)
    }
    tables = withCompanions(tables)
    for key in place.keys {
      tables = tables.flatMap { owner in
        (owner.entries.filter { $0.name == key }.first
          ?? owner.entries.first { $0.name.hasPrefix("<") }).map { owners(in: $0.type) }
          ?? []
      }
    }
    return tables
  }

  /// The settings of a configuration may stand beside a service's own.
  private func withCompanions(_ owners: [APIOwner]) -> [APIOwner] {
    guard owners.contains(where: { $0.name == "ServiceOptions" }),
      let settings = description.owner("Settings")
    else { return owners }
    return owners + [settings]
  }

  /// What there is to say of what a path leads to, from what variables hold; nil if that is nothing of
  /// Lull's.
  func help(for path: [String]) -> String? {
    if let own = session.selfDescribing(at: path) { return own.helpText }
    if let name = path.last, path.count > 1 {
      let steps = path.dropFirst().dropLast().map { LineContext.Step.field($0) }
      let receiver = LineContext.Chain(name: path[0], steps: steps)
      if let owner = owner(of: receiver),
        let entry = owner.entries.first(where: { $0.name == name })
      {
        return HelpText.text(for: entry, of: owner)
      }
    }
    if let (owner, used) = session.object(at: path), used == path.count {
      return HelpText.text(for: owner)
    }
    return session.function(at: path).map { HelpText.text(for: $0.entry, of: $0.owner) }
  }

  /// The type of the object of Lull that a path leads to; nil of other values.
  func typeName(at path: some Collection<String>) -> String? {
    guard let first = path.first else { return nil }
    let steps = path.dropFirst().map { LineContext.Step.field($0) }
    return owner(of: LineContext.Chain(name: first, steps: steps))?.name
  }

  /// The function or method an expression calls.
  private func entry(of callee: LineContext.Chain) -> APIEntry? {
    if let path = callee.path, let function = session.function(at: path) { return function.entry }
    if case .method(let name) = callee.steps.last {
      let receiver = LineContext.Chain(name: callee.name, steps: callee.steps.dropLast())
      return owner(of: receiver)?.entries.first { $0.name == name }
    }
    return owner(of: callee)?.entries.first { $0.name == "__call" }
  }

  // MARK: Strings

  private func strings(for callee: LineContext.Chain, _ argument: Int, prefix: String) -> [String] {
    guard argument == 0 else { return [] }
    if let entry = entry(of: callee), entry.name == "header" {
      return HeaderNames.starting(with: prefix)
    }
    if callee == LineContext.Chain(name: "require", steps: []) {
      return ModuleNames(session).starting(with: prefix)
    }
    if callee == LineContext.Chain(name: "help", steps: []) {
      return description.owners.flatMap { owner in [owner.name] + owner.entries.map(\.name) }
    }
    guard let path = callee.path else {
      guard case .method(let name) = callee.steps.last,
        let receiver = LineContext.Chain(name: callee.name, steps: callee.steps.dropLast()).path
      else { return [] }
      switch name {
      case "resource": return resourcePaths(at: receiver)
      case "child": return session.childPaths(ofResourceAt: receiver)
      default: return []
      }
    }
    if let (owner, entry) = session.function(at: path), owner.name == "lull" {
      return session.choices(for: entry.name, typed: prefix)
    }
    return resourcePaths(at: path)
  }

  /// Of a service, or of that of an API.
  private func resourcePaths(at path: [String]) -> [String] {
    let paths = session.resourcePaths(ofServiceAt: path)
    return paths.isEmpty ? session.resourcePaths(ofServiceAt: path + ["service"]) : paths
  }
}

extension APIOwner {
  fileprivate var isTable: Bool {
    if case .table = kind { true } else { false }
  }
}

extension LineContext.Chain {
  /// Its names and the numbers of its elements, if there is nothing else.
  var path: [String]? {
    var path = [name]
    for step in steps {
      guard let name = step.pathName else { return nil }
      path.append(name)
    }
    return path
  }
}

extension LineContext.Step {
  /// As a part of a path through a session's values; nil of what would have to be called.
  fileprivate var pathName: String? {
    switch self {
    case .field(let name): name.hasPrefix("[") ? nil : name
    case .element(let number): "[\(number)"
    case .method, .call: nil
    }
  }
}

extension LineContext.Kind {
  fileprivate var isInBrackets: Bool {
    switch self {
    case .quotedKey, .quotedField: true
    default: false
    }
  }
}

/// What the key for completion brings.
struct Completion: Equatable {
  /// What goes in at the cursor: as far as all candidates agree.
  var insertion = ""
  /// What it may become, to be listed if nothing goes in.
  var candidates: [String] = []
}

/// What was typed before that begins as a line does: the rest of it, to be taken or not.
struct Suggestions {
  private static let kept = 5000
  /// The latest last.
  private var entries: [String] = []

  mutating func remember(_ entry: String) {
    entries.append(entry)
    if entries.count > 2 * Suggestions.kept {
      entries.removeFirst(entries.count - Suggestions.kept)
    }
  }

  /// Of the latest that begins so and goes on; nil if there is none, or nothing to go by.
  func rest(after text: String) -> String? {
    guard text.utf8.contains(where: { $0 > 32 }) else { return nil }
    for entry in entries.reversed()
    where entry.utf8.count > text.utf8.count && entry.utf8.starts(with: text.utf8) {
      return String(decoding: entry.utf8.dropFirst(text.utf8.count), as: UTF8.self)
    }
    return nil
  }
}

/// Names of files, for completion.
enum FilePaths {
  /// What a folder holds; those of folders end in a slash, hidden ones are left out.
  static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < 2000, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix(".") else { continue }
      names.append(FileName.isFolder(folder + "/" + name) ? name + "/" : name)
    }
    return names.sorted()
  }

  /// The paths that begin so.
  static func starting(with prefix: String) -> [String] {
    let slash = prefix.lastIndex(of: "/")
    let folder = slash.map { String(prefix[...$0]) } ?? ""
    return entries(of: folder.isEmpty ? "." : folder).map { folder + $0 }
      .filter { $0.hasPrefix(prefix) }
  }
}

/// Headers of requests that people set, and of answers that they read. (RFC 9110)
enum HeaderNames {
  private static let common = [
    "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization",
    "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
    "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Cookie", "Date", "ETag",
    "Expect", "Expires", "Forwarded", "From", "Host", "Idempotency-Key", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Last-Modified",
    "Link", "Location", "Origin", "Prefer", "Range", "Referer", "Retry-After", "Server",
    "Set-Cookie", "TE", "Traceparent", "User-Agent", "Vary", "Via", "WWW-Authenticate", "X-API-Key",
    "X-Correlation-ID", "X-Forwarded-For", "X-Request-ID", "X-Requested-With",
  ]

  /// Those that begin so in any letter case, as far as it is written as it is; all of it in small letters
  /// if that is.
  static func starting(with prefix: String) -> [String] {
    let lower = prefix.lowercased()
    let isSmall = prefix == lower && !prefix.isEmpty
    return common.filter { $0.lowercased().hasPrefix(lower) }
      .map { prefix + (isSmall ? $0.lowercased() : $0).dropFirst(prefix.count) }
  }

  /// Whether a table or field of that name holds headers.
  static func isMeant(by name: String?) -> Bool { name == "headers" }
}

/// What `require` finds: modules that are loaded or known, and files by `package.path`.
struct ModuleNames {
  private let session: LuaSession

  init(_ session: LuaSession) {
    self.session = session
  }

  /// Those that begin so; of folders only as deep as the prefix goes.
  func starting(with prefix: String) -> [String] {
    let known = ["loaded", "preload"].flatMap {
      session.fieldNames(of: ["package", $0], onlyFunctions: false)
    }
    let templates = (session.string(at: ["package", "path"]) ?? "").split(separator: ";")
    return Array(Set(known + templates.flatMap { files(String($0), prefix) })).sorted()
  }

  private func files(_ template: String, _ prefix: String) -> [String] {
    // "./?.lua", "/usr/share/lua/5.4/?/init.lua"
    guard let mark = template.firstIndex(of: "?") else { return [] }
    let ending = String(template[template.index(after: mark)...])
    let dot = prefix.lastIndex(of: ".")
    let package = dot.map { String(prefix[...$0]) } ?? ""
    let root = template[..<mark] + package.split(separator: ".").map { $0 + "/" }.joined()
    return FilePaths.entries(of: root.isEmpty ? "." : String(root)).compactMap { name in
      if ending.hasPrefix("/") {
        guard name.hasSuffix("/"), access(root + name.dropLast() + ending, R_OK) == 0 else {
          return nil
        }
        return package + name.dropLast()
      }
      guard name.hasSuffix(ending) else { return nil }
      return package + name.dropLast(ending.count)
    }
  }
}
