import LullCore

/// Creates an API from one or more curl commands, as copied from browsers and documentation.
package struct CurlImport {
  /// - Parameters:
  ///   - text: The text as pasted into a shell. Nothing in it is run.
  ///   - name: The name of the API. The names of environment variables begin with it. If the name
  ///     is `nil`, it is derived from the host.
  ///   - known: The content of the file that the calls are added to.
  package static func api(
    _ text: String, name: String?, known: KnownCalls? = nil
  ) throws(ImportProblem) -> ImportedAPI {
    guard !isOfAnotherShell(text) else {
      throw ImportProblem(
        "the command is for cmd or PowerShell: copy it as cURL for bash (POSIX)")
    }
    var requests: [ParsedRequest] = []
    var notes: [String] = []
    var unneeded: [String] = []
    var leftOut: [String] = []
    var isPiped = false
    for command in try ShellWords.commands(in: text) {
      var words = command.words[...]
      // Skip a shell prompt, or the assignment of a variable for one command.
      while let word = words.first, words.count > 1,
        ["$", "%", ">", "sudo", "time", "exec", "command"].contains(word)
          || word.firstMatch(of: /^[A-Za-z_][A-Za-z0-9_]*=/) != nil
      {
        words = words.dropFirst()
      }
      defer { isPiped = command.isPiped }
      guard let program = words.popFirst() else { continue }
      guard program == "curl" || program.hasSuffix("/curl") || program == "curl.exe" else {
        notes.append(
          "'\(LogText.part(Blank.shown(program), limit: 40))' "
            + "\(isPiped ? "after |" : "is not curl and") is left out")
        continue
      }
      notes += command.leftOut.map { "'\(LogText.part($0, limit: 60))' is left out" }
      let parsed = try CurlCommand(words, input: command.input)
      requests += parsed.requests
      notes += parsed.notes
      unneeded += parsed.unneeded.filter { !unneeded.contains($0) }
      leftOut += parsed.leftOut.filter { !leftOut.contains($0) }
    }
    guard let first = requests.first else {
      throw ImportProblem("no curl command was found: commands begin with the word curl")
    }
    let base = known?.base(of: first)
    if let known, base == nil {
      if known.isBase(first) {
        throw ImportProblem(
          "the command requests the base URL, but a call needs a path below the base URL: "
            + "name another file with -o")
      }
      throw ImportProblem(
        "the command requests \(first.origin)\(Blank.shown(first.path)), but the file is for "
          + "\(known.shownBases): name another file with -o")
    }
    var own: [ParsedRequest] = []
    var others: [ParsedRequest] = []
    for var request in requests {
      guard
        let path = base.map({ $0.path(of: request) })
          ?? (request.origin == first.origin ? request.path : nil)
      else {
        others.append(request)
        continue
      }
      request.path = path
      own.append(request)
    }
    var api = RequestImport(
      own, origin: base?.text ?? first.origin, isRecorded: false,
      variables: VariableNames(api: name ?? HostTitle.name(of: first.origin)),
      hasShellBlanks: true, known: known?.calls ?? []
    ).api
    api.leaveOutOthers()
    if api.calls.isEmpty, let first = api.leftOut.first {
      throw ImportProblem("\(first.what) cannot be imported: \(first.reason)")
    }
    for request in others {
      let place =
        request.origin == first.origin ? "not below \(base?.text ?? "")" : "for another host"
      api.leftOut.append(
        .init(
          what: "\(request.method) \(request.origin)\(Blank.shown(request.path))",
          reason: "the request is \(place): import it into another file"))
    }
    if !leftOut.isEmpty {
      notes.append(
        "not imported: \(leftOut.joined(separator: ", ")); "
          + "if you need these options, add settings to the file")
    }
    if !unneeded.isEmpty {
      notes.append(
        "options left out, because they affect only curl's output or are Lull's default: "
          + unneeded.joined(separator: ", "))
    }
    api.notes = notes + api.notes
    return api
  }

  private static func isOfAnotherShell(_ text: String) -> Bool {
    text.contains("^\"") || text.contains("Invoke-WebRequest") || text.contains("Invoke-RestMethod")
      || text.firstMatch(of: /(^|\s)`\r?\n/) != nil
  }
}
