import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem

/// The completions of the last word on a command line, for the scripts of the shells. Each line is
/// a candidate, a tab and its description. `//files` requests file names from the shell.
struct WordCompletion {
  private let words: [String]
  private var last: String { words.last ?? "" }

  /// - Parameter words: The words after `lull`. The last one is being typed.
  init(_ words: ArraySlice<String>) { self.words = words.isEmpty ? [""] : Array(words) }

  func run() -> Int32 {
    // A shell prints each candidate on a line of its terminal, even text from an untrusted file.
    let shown = candidates.filter { candidate in
      !candidate.word.unicodeScalars.contains {
        ControlCharacters.contains($0) || $0 == "\n" || $0 == "\t"
      }
    }
    _ = Output.write(shown.map { ControlCharacters.shown(in: $0.text) + "\n" }.joined())
    return 0
  }

  private struct Candidate {
    var word: String
    var note: String?

    var text: String {
      guard let note, !note.isEmpty else { return word }
      return word + "\t" + note.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
  }

  private static let files = [Candidate(word: "//files")]

  private var candidates: [Candidate] {
    guard words.count > 1 else {
      return andFiles(fitting(WordCompletion.commands + apis))
    }
    let command: Command
    do throws(CommandEnd) {
      command = try Dispatch.command(for: words[...], name: Array(words[0].utf8))
    } catch {
      return WordCompletion.files
    }
    switch command.words {
    case .files: return WordCompletion.files
    case .optionsAndFiles: return ofOptions(command.spec) ?? WordCompletion.files
    // Other arguments, such as the URL of a server, can't be completed.
    case .options: return ofOptions(command.spec) ?? fitting(options(command.spec))
    case .target where command.name.lowercased() != words[0].lowercased():
      // The command line has no method, so complete it like that of `lull get`.
      return WordCompletion((["get"] + words)[...]).ofTarget(command.spec)
    case .target: return ofTarget(command.spec)
    case .call: return ofCall
    case .apisAndFiles:
      return ofOptions(command.spec) ?? andFiles(fitting(apis))
    case .subject: return ofSubject(command.spec)
    case .commands:
      return fitting(
        (Command.all.map(\.name) + HelpTopic.names + ["all", "annotations"]).map {
          Candidate(word: $0)
        })
    case .of(let words): return fitting(words.map { Candidate(word: $0) })
    case .kindsAndFiles(let kinds):
      return ofOptions(command.spec)
        ?? (words.count == 2 ? fitting(kinds.map { Candidate(word: $0) }) : WordCompletion.files)
    }
  }

  private static var commands: [Candidate] {
    Command.all.map { Candidate(word: $0.name, note: $0.summary) }
  }

  /// The names of the APIs. If the word contains an `@`, the environments of the API before the
  /// `@`.
  private var apis: [Candidate] {
    if let at = last.lastIndex(of: "@"), at > last.startIndex,
      APIName(last).file != last || last.hasSuffix("@")
    {
      return environments(of: String(last[..<at]))
    }
    return APIFileLocator.listing().files.map { Candidate(word: $0.name) }
  }

  /// Adds file names to the candidates, unless the candidates are environments: if file names were
  /// possible too, the shell would quote the `@`.
  private func andFiles(_ found: [Candidate]) -> [Candidate] {
    last.contains("@") && !found.isEmpty ? found : found + WordCompletion.files
  }

  private func environments(of api: String) -> [Candidate] {
    guard let path = APIFileLocator.file(of: api) else { return [] }
    var names: [String] = []
    Exit.quietly { _ = APIInspection(path, isSilent: true).inspect { names = $0.environments } }
    return names.map { Candidate(word: "\(api)@\($0)") }
  }

  /// Completes `lull get API PATH …`.
  private func ofTarget(_ spec: ArgumentSpec) -> [Candidate] {
    var spec = spec
    var before = positionals(spec)
    var method = method
    var others: [Candidate] = []
    if ["changed", "watch"].contains(words[0]) {
      if let word = before.first, Dispatch.method(word) == RequestMethod.query.rawValue {
        method = RequestMethod.query.rawValue
        before.removeFirst()
      } else {
        spec.arguments.removeAll { $0.category == "Body" }
        others = [Candidate(word: "query", note: "items are the body of a query")]
      }
    }
    if let options = ofOptions(spec) { return options }
    guard let target = before.first else { return andFiles(fitting(apis + others)) }
    if last.hasPrefix("@") { return WordCompletion.files }
    guard before.count == 1, APIFileLocator.file(of: target) != nil else { return [] }
    var paths: [Candidate] = []
    withAPI(target) { api in
      for call in listed(api) where method == nil || call.method.rawValue == method {
        let literal = String(call.path.prefix { $0 != "{" && $0 != "?" })
        if method == nil, paths.contains(where: { $0.word == literal }) { continue }
        paths.append(Candidate(word: literal, note: call.description))
      }
    }
    return fitting(paths)
  }

  /// The method that the completed paths must have. `nil`: any method.
  private var method: String? {
    switch words[0] {
    case "explain": return nil
    case "changed", "watch": return "GET"
    default: return words[0].uppercased()
    }
  }

  /// The words before the last one that are neither options nor their values.
  private func positionals(_ spec: ArgumentSpec) -> [String] {
    var result: [String] = []
    var rest = words.dropFirst().dropLast()
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        result.append(word)
        continue
      }
      if let option = spec.option(word), option.takesValue { _ = rest.popFirst() }
    }
    return result
  }

  /// The calls of the API that can be listed.
  private func listed(_ api: APIFile) -> [ListedCall] {
    api.callNames.compactMap { try? api.listedCall($0) }
  }

  /// Completes `lull call API CALL --parameter …`.
  private var ofCall: [Candidate] {
    // Used until the call and its parameters are known.
    let word = Argument(positional: "API", help: "", isRequired: true)
    let general = ArgumentSpec(
      name: "", description: "", arguments: [word] + CallPage.options(hasPages: true))
    let before = positionals(general)
    if before.count < 2, let options = ofOptions(general) { return options }
    guard let target = before.first else { return andFiles(fitting(apis)) }
    guard before.count > 1 else { return calls(of: target) }
    var found: [Candidate] = []
    withAPI(target) { api in
      guard let call = try? api.call(before[1]) else { return }
      found = ofOptions(CallPage.spec(of: call, in: target)) ?? []
    }
    return found
  }

  private func calls(of target: String) -> [Candidate] {
    var found: [Candidate] = []
    withAPI(target) { api in
      found = fitting(api.callNames.map { Candidate(word: $0) }).map { candidate in
        let call = try? api.listedCall(candidate.word)
        return Candidate(word: candidate.word, note: call?.description)
      }
    }
    return found
  }

  /// Completes `lull describe COMMAND` and `lull describe API CALL`.
  private func ofSubject(_ spec: ArgumentSpec) -> [Candidate] {
    if let options = ofOptions(spec) { return options }
    let before = positionals(spec)
    guard let subject = before.first else {
      return andFiles(fitting(WordCompletion.commands + apis))
    }
    return before.count == 1 && Command.named(subject) == nil ? calls(of: subject) : []
  }

  /// Completes the last word as an option or as an option's value. `nil` if the word is neither.
  private func ofOptions(_ spec: ArgumentSpec) -> [Candidate]? {
    if last.hasPrefix("--"), let sign = last.firstIndex(of: "=") {
      guard let option = spec.option(String(last[..<sign])) else { return [] }
      return values(of: option, behind: String(last[...sign]))
    }
    let before = words.count > 1 ? words[words.count - 2] : ""
    if before.hasPrefix("-"), let option = spec.option(before), option.takesValue {
      return values(of: option)
    }
    if let option = spec.option(before), option.isBoolean, !last.hasPrefix("-") {
      let words = values(of: option)
      if !last.isEmpty || words.isEmpty { return words }
      return words + options(spec)
    }
    guard last.hasPrefix("-") else { return spec.hasPositionals ? nil : fitting(options(spec)) }
    return fitting(options(spec))
  }

  /// - Parameter start: The text before the value in the same word, such as `--output=`.
  private func values(of option: Argument, behind start: String = "") -> [Candidate] {
    let choices = option.isBoolean ? ["true", "false"] : option.choices
    guard choices.isEmpty else { return fitting(choices.map { Candidate(word: start + $0) }) }
    switch option.completion {
    case .apis?: return start.isEmpty ? andFiles(fitting(apis)) : WordCompletion.files
    case .files?: return WordCompletion.files
    case nil: return []
    }
  }

  private func options(_ spec: ArgumentSpec) -> [Candidate] {
    spec.arguments.flatMap { argument -> [Candidate] in
      guard let name = argument.names.last(where: { $0.hasPrefix("--") }) else { return [] }
      let candidate = Candidate(word: name, note: argument.help)
      guard argument.isBoolean else { return [candidate] }
      return [candidate, Candidate(word: "--no-" + name.dropFirst(2), note: argument.help)]
    } + [Candidate(word: "--help", note: "show help")]
  }

  private func fitting(_ candidates: [Candidate]) -> [Candidate] {
    candidates.filter { $0.word.hasPrefix(last) }
  }

  /// Inspects an API without reporting errors, because a user who presses the completion key has
  /// not asked to run anything.
  private func withAPI(_ name: String, _ body: (APIFile) -> Void) {
    guard let inspection = APIInspection(of: name, isSilent: true) else { return }
    Exit.quietly { _ = inspection.inspect(body) }
  }
}
