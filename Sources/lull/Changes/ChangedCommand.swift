import LullArguments
import LullClients
import LullCore
import LullHost
import LullTransport

extension Command {
  static let changed = Command(
    "changed", "report changes since the last run", .ask,
    forms: [("changed TARGET", "report changes since the last run")],
    spec: { ChangedCommand.spec }, words: .target
  ) { words, command throws(CommandEnd) in
    try ChangedCommand(words.dropFirst(), for: command).run()
  }
}

/// `lull changed API PATH`: reports whether the response has changed since the last successful run,
/// and shows the differences.
struct ChangedCommand {
  /// The exit code if nothing has changed.
  private static let same: Int32 = 7

  static var spec: ArgumentSpec {
    ContentWords.spec(
      "changed",
      """
      Loads a resource and reports changes since the last successful run.

      Prints additions (+), removals (-) and changes (~): in a list by the id of its
      elements or by whole elements, in a record by its fields, in text by its lines.
      The exit code is 0 if something has changed, and on the first run; 7 if nothing
      has. A failed run leaves the stored content unchanged. With the word query
      before TARGET, the resource is a query, as in lull query.

      Runs are compared if URL, headers, credentials (-a, --session), API file, -f,
      pages and the body of a query are the same. The content is stored in
      $XDG_STATE_HOME/lull/changed, readable by you only.
      """,
      [
        .init(
          names: ["--forget"], kind: .flag,
          help: "Forget the stored response; send nothing.")
      ] + OptionTable.pages + OptionTable.pageWays,
      examples: [
        #"lull changed https://api.github.com/users/octocat/repos -f 'map(x, "name")'"#,
        #"lull changed shop /orders --all -f 'pick(x, "id", "state")' && notify"#,
        "lull changed :8080/users -o json",
        "lull changed query :8080/search topic=tea",
      ],
      exitCodes: [
        .init(0, "changed, or the first run"),
        .init(1, "the stored content cannot be read or written"),
        .init(7, "unchanged"),
      ] + Exit.requestCodes)
  }

  private let words: ContentWords
  private let forgets: Bool

  init(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) {
    self.words = try ContentWords(words, for: command)
    forgets = self.words.parsed.has("--forget")
  }

  func run() -> Int32 {
    words.run { host, api, request, options in
      do throws(ChangeRecord.Problem) {
        let record = try ChangeRecord(
          ChangeRecord.question(
            request, words.target.api, options, environment: api.environment?.name))
        if forgets {
          Exit.complain(
            try record.forget()
              ? "lull: deleted the stored response\n"
              : "lull: there was no stored response to forget\n")
          return 0
        }
        // Report an unusable record before sending a request.
        _ = try record.read()
        var (request, options) = (request, options)
        // Always send a request, because a cache can't know of changes. It only provides the
        // validators for a conditional request.
        options.isFresh = !options.isOffline
        if let code = options.openSession(for: &request, host) { return code }
        let exchange = CallExchange(host, api, options)
        switch exchange.collect(request) {
        case .ended(let code): return exchange.end(code)
        case .content(let content):
          if host.loop.isInterrupted { return 0 }
          let code = try compare(content, with: record, exchange)
          return exchange.end(code)
        }
      } catch {
        Exit.complain("lull: \(error.message)\n")
        return 1
      }
    }
  }

  /// Writes the differences, then stores the content. If writing fails, the next run reports the
  /// same differences again.
  private func compare(
    _ content: ComparedContent, with record: ChangeRecord, _ exchange: CallExchange
  ) throws(ChangeRecord.Problem) -> Int32 {
    try record.locked { () throws(ChangeRecord.Problem) in
      guard let known = try record.read() else {
        try record.write(content)
        Exit.complain("lull: first run: there is nothing to compare with\n")
        return 0
      }
      let difference = ContentDifference(known, content)
      guard !difference.isEmpty else { return ChangedCommand.same }
      let text = DifferenceText(style: exchange.style, format: exchange.options.format)
      // If the output was not read, the next run reports it again.
      if Output.write(text.bytes(of: difference)) { try record.write(content) }
      return 0
    }
  }
}

/// Formats differences: as lines, coloured on a terminal, or as JSON.
struct DifferenceText {
  let style: OutputStyle
  /// The output format. `nil`: differences are written as lines.
  let format: OutputFormat?

  func bytes(of difference: ContentDifference) -> [UInt8] {
    guard let format else {
      let lines = difference.text { line, kind in
        let shown = String(
          decoding: ColouredJSON.visible(Array(line.utf8)), as: UTF8.self)
        return style.painted(style.isTerminal ? shown : line, DifferenceText.colour(kind))
      }
      return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
    return ContentText(format: format, columns: [], style: format == .ndjson ? .plain : style)
      .bytes(of: JSONText(valid: difference.json))
  }

  /// Formats the content of the first run.
  func bytes(ofFirst content: ComparedContent) -> [UInt8] {
    var json = Array("{\"first\":".utf8)
    content.described.write(to: &json)
    return ContentText(format: format, columns: [], style: format == .ndjson ? .plain : style)
      .bytes(of: JSONText(valid: json + Array("}".utf8)))
  }

  private static func colour(_ kind: ContentDifference.Kind) -> String {
    switch kind {
    case .added: "32"
    case .removed: "31"
    case .changed: "33"
    }
  }
}
