import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost

/// Finds the command for the first word of a command line: a command, a script, a method, an API or
/// a URL.
///
/// Commands come first, then files, then methods and APIs, then hosts. `./test` always names the
/// file, even if `test` has another meaning.
enum Dispatch {
  /// Methods that can also be typed in lower case, in addition to the methods that are commands.
  private static let otherMethods: Set<String> = [
    "copy", "lock", "mkcol", "move", "propfind", "proppatch", "purge", "report", "search",
    "trace", "unlock",
  ]

  /// - Parameters:
  ///   - words: The command line without the program's name.
  ///   - name: The bytes of the first word, which may be a file name.
  static func command(for words: ArraySlice<String>, name: [UInt8]) throws(CommandEnd) -> Command {
    guard let word = words.first else { return .run }
    if let command = Command.named(word) { return command }
    if word.hasPrefix("-") { return isOptionOfRequest(word) ? .request : .run }
    let rest = words.dropFirst()
    let lower = word.lowercased()
    if !rest.isEmpty, let verb = Command.verbs.first(where: { $0.name == lower }) { return verb }
    let kind = kindOfFile(name)
    if let problem = FirstWord.problem(of: word, exists: kind != nil) {
      throw .wrongUsage(problem, nil)
    }
    if let kind, kind != S_IFDIR { return .run }
    if isMethod(word), !rest.isEmpty { return .ofMethod(word) }
    if lower == word, let next = rest.first, otherMethods.contains(word), isTarget(next) {
      return .ofMethod(word.uppercased())
    }
    if isTarget(word) || TypedURL.otherScheme(word) != nil { return .request }
    let isPath = [".", "/"].contains(word.prefix(1)) || word.hasSuffix(".lua")
    guard !isPath, kind == nil || kind == S_IFDIR, ByteString(name).text != nil else { return .run }
    throw unknown(word)
  }

  /// Whether the word is the name of an API, or a URL.
  static func isTarget(_ word: String) -> Bool {
    TypedURL.plain(word) != nil || APIFileLocator.file(of: word) != nil
      || TypedURL.withoutScheme(word) != nil
  }

  /// The method that a word names. `nil` if the word is a target instead.
  static func method(_ word: String) -> String? {
    guard !isTarget(word) else { return nil }
    let isVerb = Command.verbs.contains { $0.name == word.lowercased() }
    return isVerb ? word.uppercased() : isMethod(word) ? word : nil
  }

  /// Whether the word is written like a method. Unknown methods are sent unchanged.
  private static func isMethod(_ word: String) -> Bool {
    word.utf8.allSatisfy { ($0 >= 65 && $0 <= 90) || $0 == UInt8(ascii: "-") }
      && word.first != "-"
  }

  /// Whether the word is an option of requests, in Lull or in similar programs, but not of scripts.
  private static func isOptionOfRequest(_ word: String) -> Bool {
    guard word.count > 1, word != "--" else { return false }
    let name = String(word.hasPrefix("--") ? word.prefix { $0 != "=" } : word.prefix(2))
    return !RunOptions.arguments.contains { $0.names.contains(name) }
      && !["-e", "-i", "-h", "--help"].contains(name)
      && (Command.request.spec.option(name) != nil || Habits.hint(for: name) != nil)
  }

  private static func kindOfFile(_ name: [UInt8]) -> mode_t? {
    var status = stat()
    let path = name.map { CChar(bitPattern: $0) } + [0]
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func unknown(_ word: String) -> CommandEnd {
    let names = Command.all.map(\.name) + APIFileLocator.listing().files.map(\.name)
    if let correction = FirstWord.corrections[word] { return .wrongUsage(correction, nil) }
    let near = NearestName.suggestion(for: word, among: names)
    return .wrongUsage(
      "'\(word)' is neither a command nor a file, an API or a URL"
        + (near.map { " (did you mean '\($0)'?)" } ?? ""), nil)
  }
}

/// First words of a command line that users of other programs type.
enum FirstWord {
  /// The corrections for commands of other programs.
  static let corrections: [String: String] = [
    "http": "there is no command 'http': lull URL sends a request",
    "curl": "there is no command 'curl': lull URL sends a request, lull import curl '…' reads one",
    "ls": "there is no command 'ls': lull apis lists the API files",
    "list": "there is no command 'list': lull apis lists the API files",
    "init": "there is no command 'init': lull import KIND FILE writes an API file",
    "new": "there is no command 'new': lull import KIND FILE writes an API file",
    "examples": "there is no command 'examples': lull help COMMAND shows some",
    "man": "there is no command 'man': lull help COMMAND shows all options",
    "config":
      "there is no command 'config': the defaults are in ~/.config/lull/config.lua and API files, and "
      + "lull doctor lists the variables",
  ]

  /// A file ending that API users know, and advice that names the command that reads such a file.
  /// The advice is `nil` if there is no such command.
  typealias FileKind = (ending: String, advice: Advice?)
  typealias Advice = @Sendable (_ file: String) -> String

  /// Returns the kind of file for a name with an ending that API users know. A word with such an
  /// ending is not treated as a host. (CMD-172)
  static func fileKind(of word: some StringProtocol) -> FileKind? {
    kinds.first { word.hasSuffix($0.ending) }
  }

  /// Why a word whose file ending API users know can't be run, and the command that reads the file.
  /// `nil` for other words.
  static func problem(of word: String, exists: Bool) -> String? {
    guard let kind = fileKind(of: word),
      TypedURL.plain(word) == nil, APIFileLocator.file(of: word) == nil
    else { return nil }
    let isBare = !word.contains("/") && !word.contains(":")
    guard exists else { return isBare ? "no such file: '\(word)'" : nil }
    return kind.advice.map { "'\(word)' is \($0(word))" }
  }

  private static let document: Advice = {
    "not a script; for an OpenAPI document use lull import openapi \($0)"
  }
  private static let requests: Advice = { _ in "a file of HTTP requests, not a Lua script" }

  private static let kinds: [FileKind] = [
    (".yaml", document), (".yml", document), (".json", document),
    (".har", { "a recording, not a script: use lull import har \($0)" }),
    (".http", requests), (".hurl", requests), (".md", { _ in "a text, not a script" }),
    (".txt", nil),
  ]
}
