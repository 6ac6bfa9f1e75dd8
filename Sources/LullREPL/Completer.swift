import LullHost
import LullLibC
import LullLuaSource
import LullSystem

/// Completes the word at the cursor. The candidates come from the variables of the session and the
/// description of the API. No Lua code is run.
struct Completer {
  private let session: LuaSession
  private let description: APIDescription

  init(session: LuaSession) {
    self.session = session
    description = session.description
  }

  /// Returns the completion of the word at the cursor.
  ///
  /// - Parameters:
  ///   - text: The line before the cursor.
  ///   - statement: The earlier lines of the same statement.
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

  /// Returns the field names of a table, including those that are not Lua names. For a table of
  /// headers, returns the names of known headers.
  private func quotedFields(of chain: LineContext.Chain, prefix: String) -> [String] {
    if case .field(let name)? = chain.steps.last, HeaderNames.isMeant(by: name) {
      return HeaderNames.starting(with: prefix)
    }
    guard let path = chain.path else { return [] }
    if let names = session.ownFieldNames(at: path) {
      // A name with a quote or a backslash is not offered, because it can't be written unchanged in
      // a quoted string.
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

  /// Returns the documentation of the object that an expression returns.
  private func owner(of chain: LineContext.Chain) -> APIOwner? {
    type(of: chain).flatMap { owners(in: $0).first }
  }

  /// Returns the type of an expression, in the notation of the API description.
  private func type(of chain: LineContext.Chain) -> String? {
    // Values are used as far along the chain as they can be inspected. After that, declared types
    // are used.
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

  /// Returns the owners for the names in a type, such as `Settings|SettingsFunction` or `Entity?`.
  /// If a name is an alias, it is replaced by the owners for the names in the aliased type.
  private func owners(in type: String) -> [APIOwner] {
    Completer.parts(of: type).compactMap { description.owner($0) }.flatMap { owner in
      if case .alias(let type) = owner.kind { owners(in: type) } else { [owner] }
    }
  }

  /// The members of a union type.
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

  /// Returns the call declared by an API file whose table of parameters is at that place. The call
  /// may be written as a function or as a method.
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
    // A type may also list the allowed strings themselves.
    let literals = types.flatMap { type in
      LuaToken.all(in: type.utf8).filter { $0.kind == .string }.map(\.text)
    }
    return words + literals
  }

  /// Returns the tables of options that are allowed at that place.
  private func tables(at place: LineContext.Place) -> [APIOwner] {
    guard let entry = entry(of: place.callee) else { return [] }
    var tables: [APIOwner] = []
    for signature in entry.signatures where place.argument < signature.parameters.count {
      // Other types that are allowed at this place, such as a resource as a pattern, are not tables
      // of options.
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

  /// Adds the configuration settings if the tables include the options of a service, because both
  /// are allowed in the same table.
  private func withCompanions(_ owners: [APIOwner]) -> [APIOwner] {
    guard owners.contains(where: { $0.name == "ServiceOptions" }),
      let settings = description.owner("Settings")
    else { return owners }
    return owners + [settings]
  }

  /// Returns the help for the value at a path, which depends on the current values of variables.
  /// `nil` if the path does not lead to an object or function of Lull.
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

  /// Returns the type of the Lull object at a path. `nil` for other values.
  func typeName(at path: some Collection<String>) -> String? {
    guard let first = path.first else { return nil }
    let steps = path.dropFirst().map { LineContext.Step.field($0) }
    return owner(of: LineContext.Chain(name: first, steps: steps))?.name
  }

  /// Returns the documentation of the function or method that an expression calls.
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

  /// Returns the paths of the resources of the service at a path. If the value at the path is the
  /// table that an API file returned, the service in that table is used.
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
  /// The names and element indices of the chain. `nil` if the chain contains anything else, such as
  /// a call.
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
  /// This step of the chain as a component of a path to a value of the session. `nil` for a call.
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

/// The result of pressing the completion key.
struct Completion: Equatable {
  /// The text to insert at the cursor: the common prefix of all candidates.
  var insertion = ""
  /// The candidates. They are listed if there is nothing to insert.
  var candidates: [String] = []
}

/// Suggests the rest of a line. The suggestion is the rest of an earlier line that begins with the
/// same text.
struct Suggestions {
  private static let kept = 5000
  /// The earlier lines, the latest last.
  private var entries: [String] = []

  mutating func remember(_ entry: String) {
    entries.append(entry)
    if entries.count > 2 * Suggestions.kept {
      entries.removeFirst(entries.count - Suggestions.kept)
    }
  }

  /// Returns the rest of the latest entry that begins with the text. `nil` if no entry begins with
  /// the text, or if the text is blank.
  func rest(after text: String) -> String? {
    guard text.utf8.contains(where: { $0 > 32 }) else { return nil }
    for entry in entries.reversed()
    where entry.utf8.count > text.utf8.count && entry.utf8.starts(with: text.utf8) {
      return String(decoding: entry.utf8.dropFirst(text.utf8.count), as: UTF8.self)
    }
    return nil
  }
}

/// Finds file names for completion.
enum FilePaths {
  /// Returns the names of the files in a folder. The name of a subfolder ends with a slash. Hidden
  /// files are left out.
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

  /// Returns the paths that begin with a prefix.
  static func starting(with prefix: String) -> [String] {
    let slash = prefix.lastIndex(of: "/")
    let folder = slash.map { String(prefix[...$0]) } ?? ""
    return entries(of: folder.isEmpty ? "." : folder).map { folder + $0 }
      .filter { $0.hasPrefix(prefix) }
  }
}

/// Finds the names of common request and response headers for completion. (RFC 9110)
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

  /// Returns the names that begin with a prefix, ignoring case. The typed prefix stays unchanged.
  /// If the prefix is in lower case, the rest of the name is in lower case too.
  static func starting(with prefix: String) -> [String] {
    let lower = prefix.lowercased()
    let isSmall = prefix == lower && !prefix.isEmpty
    return common.filter { $0.lowercased().hasPrefix(lower) }
      .map { prefix + (isSmall ? $0.lowercased() : $0).dropFirst(prefix.count) }
  }

  /// Returns whether a table or field with that name contains headers.
  static func isMeant(by name: String?) -> Bool { name == "headers" }
}

/// Finds the names that `require` accepts: the names of loaded and preloaded modules, and the names
/// for files that `require` finds in `package.path`.
struct ModuleNames {
  private let session: LuaSession

  init(_ session: LuaSession) {
    self.session = session
  }

  /// Returns the names that begin with a prefix. Folders are searched only as deep as the prefix
  /// has components.
  func starting(with prefix: String) -> [String] {
    let known = ["loaded", "preload"].flatMap {
      session.fieldNames(of: ["package", $0], onlyFunctions: false)
    }
    let templates = (session.string(at: ["package", "path"]) ?? "").split(separator: ";")
    return Array(Set(known + templates.flatMap { files(String($0), prefix) })).sorted()
  }

  private func files(_ template: String, _ prefix: String) -> [String] {
    // A template is, for example, "./?.lua" or "/usr/share/lua/5.4/?/init.lua".
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
