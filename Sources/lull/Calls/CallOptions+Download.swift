import LullArguments
import LullCore

/// Bodies that become files, and what comes piece by piece.
extension CallOptions {
  static var downloadArguments: [Argument] {
    [
      .init(
        names: ["--download"], kind: .flag,
        help: "save the body in a file that is called as the server says, else as the URL ends, in "
          + "this folder or that of -O; a file of that name stays, and the new one gets a number"),
      .init(
        names: ["-C", "--resume"], kind: .flag,
        help:
          "Resume a partial download (needs -O or --download). Requires an ETag or Last-Modified "
          + "from the server."),
      .init(
        names: ["--stream"], kind: .flag,
        help: "write events of an event stream, or rows of JSON, as they come, a line each; -f "
          + "and -o are of each"),
    ]
  }

  /// Whether a stream is read: what is only shown is its request.
  var streams: Bool { isStream && !printsCurl && !isDry }

  mutating func readDownload(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    namesFile = words.has("--download")
    resumes = words.has("-C")
    isStream = words.has("--stream")
    if namesFile {
      guard file != "-" else {
        throw .wrongUsage("--download makes a file: it does not go with -O -", command)
      }
      guard format == nil || format == .raw, filter == nil, pages == nil, !showsHead else {
        throw .wrongUsage(
          "--download saves the body as it is: it does not go with -o, -f, -i and pages", command)
      }
      file = file ?? "."
    }
    guard !resumes || file != nil && file != "-" else {
      throw .wrongUsage("-C goes on with a file: -O FILE or --download is missing", command)
    }
    guard isStream else { return }
    guard file == nil, pages == nil, !showsHead else {
      throw .wrongUsage(
        "--stream writes items as they come: it does not go with -O, --download, -i and pages; -O - "
          + "writes the bytes", command)
    }
    guard format != .table, format != .csv, format != .raw else {
      throw .wrongUsage(
        "--stream writes each item by itself: -o json, ndjson or lines; -O - writes the bytes",
        command)
    }
  }

  /// The file that the body becomes, if it becomes one.
  var download: Download? {
    guard let file else { return nil }
    return Download(
      to: file == "-" ? .standardOutput : .file(ByteString(file), allowsFolder: namesFile),
      resumes: resumes, numbersNames: namesFile)
  }

  // MARK: Who asks

  /// Refuses a header that would say the same as `-a`.
  func checkAuth(_ headers: [String], for command: Command) throws(CommandEnd) {
    guard network.auth != nil, headers.contains(where: { $0.lowercased() == "authorization" })
    else { return }
    throw .wrongUsage("-a and a header Authorization both say who asks: give one", command)
  }

  /// The items of a request with these options.
  func items(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) -> [RequestItem]
  {
    var items: [RequestItem] = []
    for word in words {
      do throws(RequestItem.Problem) {
        items.append(try RequestItem(word))
      } catch {
        throw .wrongUsage(error.message, command)
      }
    }
    try checkAuth(
      items.filter { [.header, .emptyHeader].contains($0.kind) }.map(\.name), for: command)
    return items
  }

  /// Asks for what only a terminal can tell; the exit code if that fails.
  mutating func complete() -> Int32? {
    printsCurl || isDry ? nil : network.auth?.complete()
  }
}

extension CallExchange {
  /// Says of a part that was kept why -C cannot go on with it.
  func tellObstacle(of download: Download?) {
    guard let obstacle = download?.obstacle else { return }
    Exit.complain(
      "lull: '\(obstacle.part)' is kept, but -C cannot resume it: \(obstacle.reason)\n")
  }

  /// Says what a file is called that nobody has named.
  func tellName(of download: Download?) {
    if let download, download.replacesWhole, let name = download.shownPath {
      Exit.complain("lull: of '\(name)' nothing was there that -C goes on with: loaded anew\n")
    }
    guard options.namesFile, let name = download?.shownPath else { return }
    Exit.complain("lull: saved as '\(name)'\n")
  }
}

extension Download {
  /// The path as it is told; nil as long as there is none.
  var shownPath: String? {
    path.map(\.description).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
  }
}
