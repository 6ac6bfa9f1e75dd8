import LullArguments
import LullClients
import LullCore
import LullSystem

/// The page of `lull skill`. It is built from the description of an API and from the tables of
/// options and exit codes.
///
/// Behaviours: DSC-10 to DSC-12.
struct SkillPage {
  /// The beginning of a line in each written page. A file that contains it may be overwritten.
  static let mark = "<!-- Exported by: lull skill "

  private let description: APIDescription
  private var api: String { CurlText.quoted(description.word) }

  init(_ description: APIDescription) { self.description = description }

  var text: String {
    ([head, calling, output, pages, exitCodes, access, environments].compactMap(\.self) + [calls])
      .joined(separator: "\n\n") + "\n"
  }

  // MARK: Sections

  /// The front matter, from which an assistant decides whether to read the page, and the title.
  private var head: String {
    let word = description.word
    let name = word.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let words = String(name).split(separator: "-").joined(separator: "-")
    let about = description.api.description.map { " (\($0))" } ?? ""
    var writer = JSONWriter()
    writer.write(
      SkillPage.line("Makes calls of the API \(word)\(about) with the command lull."))
    var text = """
      ---
      name: lull-\(words)
      description: \(String(decoding: writer.output, as: UTF8.self))
      ---
      \(SkillPage.mark)\(ControlCharacters.shownInLine(api).replacing("--", with: "- -")) -->

      # The API \(SkillPage.code(word))
      """
    if let description = description.api.description {
      text += "\n\n" + SkillPage.prose(description)
    }
    if let url = description.api.baseURL { text += "\n\nBase URL: \(SkillPage.code(url))" }
    return text
  }

  private var calling: String {
    """
    ## Make a call

    ```sh
    \(ControlCharacters.shownInLine("lull call \(api) CALL [--PARAMETER VALUE ...] [OPTIONS]"))
    ```

    \(options(["--dry-run", "--fresh", "--retry", "--timeout", "--yes", "--ignore-stdin"]))
    - \(SkillPage.code("lull call \(api) CALL --help")): Show all options of a call.
    - \(SkillPage.code("lull describe \(api) CALL -o json")): Describe a call as JSON.
    """
  }

  private var output: String {
    """
    ## Output

    The response is written to standard output, everything else to standard error.

    \(options(["-o", "-f", "-r", "--columns", "-O", "-i", "-v"], hasDetails: true))

    ```sh
    lull call \(ControlCharacters.shownInLine(api)) CALL -f x.name -r
    lull call \(ControlCharacters.shownInLine(api)) CALL -f 'map(x, "name")' -o lines
    ```

    `lull help filters` lists the functions of filters.
    """
  }

  /// The section about paging. `nil` if no call has pages.
  private var pages: String? {
    let names = description.api.calls.map(\.call).filter(\.hasPages).map { SkillPage.code($0.name) }
    guard !names.isEmpty else { return nil }
    return """
      ## Pages

      Calls whose responses come in pages: \(names.joined(separator: ", ")).

      \(options(OptionTable.pages.map(\.shown)))
      """
  }

  private var exitCodes: String {
    let rows = Exit.codes.map { "| \($0.code) | \($0.meaning) |" }
    return "## Exit codes\n\n| code | meaning |\n|---|---|\n" + rows.joined(separator: "\n")
  }

  /// The section about credentials. `nil` if no call needs any.
  private var access: String? {
    let credentials = description.credentials
    guard !credentials.isEmpty else { return nil }
    var lines = credentials.map { "- " + SkillPage.prose($0.text) }
    if credentials.contains(where: \.needsLogin) {
      lines.append("- Log in once: \(SkillPage.code("lull login \(api)")) (opens a browser)")
    }
    return "## Credentials\n\n" + lines.joined(separator: "\n")
      + "\n\nLull reads secrets when it sends a request. Do not pass them as arguments."
  }

  /// The section about environments. `nil` if the API has none.
  private var environments: String? {
    let environments = description.api.environments
    guard !environments.isEmpty else { return nil }
    let rows = environments.map { environment in
      let url = environment.url.map { ": " + SkillPage.code($0) } ?? ""
      return "- \(SkillPage.code("\(description.word)@\(environment.name)"))\(url)"
    }
    return "## Environments\n\nUse these names in place of \(SkillPage.code(description.word)):\n\n"
      + rows.joined(separator: "\n")
  }

  private var calls: String {
    (["## Calls"] + description.api.calls.map(section)).joined(separator: "\n\n")
  }

  private func section(_ exported: ExportedAPI.Call) -> String {
    let call = exported.call
    var parts = ["### \(SkillPage.code(call.name))"]
    if let text = call.description { parts.append(SkillPage.prose(text)) }
    parts.append(SkillPage.code(CallPage.request(of: call)))
    let parameters = APIDescription.parameters(of: call, in: description.word).map(SkillPage.item)
    if !parameters.isEmpty { parts.append(parameters.joined(separator: "\n")) }
    if call.hasBody { parts.append("Body: \(SkillPage.body(of: call)).") }
    let example = ControlCharacters.shownInLine(description.example(of: call))
    parts.append("```sh\n\(example)\n```")
    return parts.joined(separator: "\n\n")
  }

  private static func item(_ parameter: CallParameter, _ argument: Argument) -> String {
    let names = ArgumentHelp.column(of: argument).drop { $0 == " " }
    var facts = [APIDescription.typeName(of: parameter) + (parameter.isList ? " list" : "")]
    facts.append(parameter.isWhole ? "the body" : parameter.place.rawValue)
    if argument.isRequired, parameter.standard == nil { facts.append("required") }
    if argument.isRepeated { facts.append("may be repeated") }
    facts += argument.choices.map(code)
    if let standard = parameter.shownDefault {
      facts.append("default " + code(String(decoding: standard, as: UTF8.self)))
    }
    if case .secret(let text)? = parameter.standard, let secret = text.secrets.first {
      facts.append("default the secret " + code(secret.name))
    }
    let text = parameter.description.map { ". " + prose($0) } ?? ""
    return "- \(code(String(names))): \(facts.joined(separator: ", "))\(text)"
  }

  private static func body(of call: APICall) -> String {
    let form =
      switch call.bodyForm {
      case .json: "JSON"
      case .form: "a form"
      case .multipart: "a multipart form"
      case .raw: "the parameter, unchanged"
      }
    return form + (call.contentType.map { " (\(code($0)))" } ?? "")
  }

  /// A list of options of `lull call`, with the texts of its help.
  private func options(_ names: [String], hasDetails: Bool = false) -> String {
    let spec = Command.call.spec
    return names.compactMap { spec.option($0) }.map { option in
      let columns = ArgumentHelp.column(of: option).drop { $0 == " " }
      let details = hasDetails ? option.details.map { " " + $0 } ?? "" : ""
      let text = ArgumentHelp.explanation(of: option) + details
      return "- \(SkillPage.code(String(columns))): \(text)"
    }.joined(separator: "\n")
  }

  // MARK: Markdown

  /// Formats a text as inline code, even if it contains backticks.
  static func code(_ text: String) -> String {
    let line = ControlCharacters.shownInLine(text)
    var longest = 0
    var run = 0
    for character in line {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let padding = line.hasPrefix("`") || line.hasSuffix("`") || line.isEmpty ? " " : ""
    return fence + padding + line + padding + fence
  }

  /// Formats a text from an API file as part of a line, so that it can't begin a heading, a list or
  /// a comment.
  static func prose(_ text: String) -> String {
    let line = SkillPage.line(text).replacing("<", with: "\\<")
    return line.first.map { "#>-+*=|~".contains($0) } == true ? "\\" + line : line
  }

  /// Returns a text on one line, with control characters escaped.
  private static func line(_ text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingBlanks }
    return ControlCharacters.shownInLine(lines.joined(separator: " "))
  }
}
