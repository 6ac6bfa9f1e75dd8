import LullArguments

/// The options of the method commands (`lull post` and others) that set the request body.
struct BodyOptions {
  /// The source of a complete request body.
  enum Data: Equatable {
    /// `-d`: the body, `@file`, or `-` for standard input.
    case data(String)
    /// `--raw`: the body, whatever it begins with.
    case raw(String)
  }

  private(set) var data: Data?
  private(set) var isForm = false
  private(set) var isMultipart = false
  private(set) var isJSON = false

  /// The options of a request without a body.
  init() {}

  init(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    if let filter = words.text("-f"), BodyOptions.isNoFilter(filter) {
      throw .wrongUsage(
        "-f is a filter, an expression in Lua, and '\(filter)' is not one: send a form with --form",
        command)
    }
    data = words.text("-d").map { .data($0) } ?? words.text("--raw").map { .raw($0) }
    isMultipart = words.has("--multipart")
    isForm = words.has("--form") || isMultipart
    isJSON = words.has("--json")
  }

  /// Whether the text after `-f` looks like an item or a target. If so, the user probably wanted
  /// HTTPie's form option, not a filter.
  private static func isNoFilter(_ text: String) -> Bool {
    if ["http://", "https://", ":"].contains(where: { text.hasPrefix($0) }) { return true }
    let name = text.unicodeScalars.prefix { $0 != "=" && $0 != ":" }
    let rest = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(name.count)))
    guard rest.hasPrefix("=") && !rest.hasPrefix("==") || rest.hasPrefix(":=") else { return false }
    return name.allSatisfy {
      $0.properties.isAlphabetic || "0123456789_-.[]".unicodeScalars.contains($0)
    }
  }

  /// Throws wrong usage if the items can't be combined with these options.
  func check(_ items: [RequestItem], for command: Command) throws(CommandEnd) {
    guard let item = items.first(where: \.isBody) else { return }
    if let data {
      let option = if case .raw = data { "--raw" } else { "-d" }
      throw .wrongUsage(
        "\(option) is the whole body and cannot be combined with '\(item.word)'", command)
    }
    guard !isForm else { return }
    if let file = items.first(where: \.isWholeBody) {
      guard items.filter(\.isBody).count == 1 else {
        throw .wrongUsage(
          "'\(file.word)' is the whole body and cannot be combined with other body items; write a form "
            + "field as name\(file.word)", command)
      }
    } else if isJSON, let file = items.first(where: \.isUpload) {
      throw .wrongUsage(
        "'\(file.word)' makes a form and cannot be combined with --json; "
          + "\(file.name)=@\(file.value) sends the text of the file", command)
    }
  }
}
