import LullArguments

/// What the options of a verb say of its body.
struct BodyOptions {
  /// A body that is given as a whole.
  enum Data: Equatable {
    /// `-d`: the body itself, `@file`, or `-` for standard input.
    case data(String)
    /// `--raw`: the body itself, whatever it begins with.
    case raw(String)
  }

  private(set) var data: Data?
  private(set) var isForm = false
  private(set) var isMultipart = false
  private(set) var isJSON = false

  /// The options of a body as one may type them.
  static var arguments: [Argument] {
    [
      .init(
        names: ["-d", "--data"], placeholder: "BODY",
        help: "the body as it is: JSON or text, @file, or - for standard input"),
      .init(
        names: ["--raw"], placeholder: "BODY",
        help: "the body as it is, whatever it begins with"),
      .init(names: ["--form"], kind: .flag, help: "send items as a form instead of JSON"),
      .init(
        names: ["--multipart"], kind: .flag, help: "send items as a form in parts, files or not"),
      .init(
        names: ["-j", "--json"], kind: .flag,
        help: "say and accept JSON, as items do by themselves"),
    ]
  }

  init(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    if let filter = words.text("-f"), BodyOptions.isNoFilter(filter) {
      throw .wrongUsage(
        "-f is a filter, an expression in Lua, and '\(filter)' is none: a form is sent with --form",
        command)
    }
    data = words.text("-d").map { .data($0) }
    if let raw = words.text("--raw") {
      guard data == nil else {
        throw .wrongUsage("-d and --raw are both the whole body: one of them", command)
      }
      data = .raw(raw)
    }
    isMultipart = words.has("--multipart")
    isForm = words.has("--form") || isMultipart
    isJSON = words.has("--json")
    guard !isForm || !isJSON else {
      throw .wrongUsage(
        "--json and \(isMultipart ? "--multipart" : "--form") are two kinds of body: one of them",
        command)
    }
    guard !isMultipart || data == nil else {
      throw .wrongUsage("--multipart is of items: -d and --raw are the whole body", command)
    }
  }

  /// Whether somebody means the `-f` of HTTPie, behind which items stand, or the target.
  private static func isNoFilter(_ text: String) -> Bool {
    if ["http://", "https://", ":"].contains(where: { text.hasPrefix($0) }) { return true }
    let name = text.unicodeScalars.prefix { $0 != "=" && $0 != ":" }
    let rest = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(name.count)))
    guard rest.hasPrefix("=") && !rest.hasPrefix("==") || rest.hasPrefix(":=") else { return false }
    return name.allSatisfy {
      $0.properties.isAlphabetic || "0123456789_-.[]".unicodeScalars.contains($0)
    }
  }

  /// Whether the items go with them.
  func check(_ items: [RequestItem], for command: Command) throws(CommandEnd) {
    guard let item = items.first(where: \.isBody) else { return }
    if let data {
      let option = if case .raw = data { "--raw" } else { "-d" }
      throw .wrongUsage(
        "\(option) is the whole body: it does not go with '\(item.word)'", command)
    }
    guard !isForm else { return }
    if let file = items.first(where: \.isWholeBody) {
      guard items.filter(\.isBody).count == 1 else {
        throw .wrongUsage(
          "'\(file.word)' is the whole body: no other item of it goes beside; a field of a form is "
            + "written name\(file.word)", command)
      }
    } else if isJSON, let file = items.first(where: \.isUpload) {
      throw .wrongUsage(
        "'\(file.word)' makes a form, which --json does not go with; \(file.name)=@\(file.value) "
          + "takes the text of the file", command)
    }
  }
}
