import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem

/// Makes one request to an API and writes the response. The exit code reports the result.
struct CallExchange {
  let host: LuaHost
  let api: APIFile
  let options: CallOptions
  let style = OutputStyle.forStandardOutput()
  let spelling = BodySpelling()
  /// Shows the exchange as it happens. `nil` unless the command line requests that.
  let trace: ExchangeTrace?
  /// The head of the last response. `nil` unless the command line requests that it be shown.
  private let receivedHead: ReceivedHead?

  init(_ host: LuaHost, _ api: APIFile, _ options: CallOptions) {
    self.host = host
    self.api = api
    self.options = options
    trace = options.isVerbose ? ExchangeTrace(.forStandardError()) : nil
    receivedHead = options.showsHead ? ReceivedHead() : nil
  }

  func run(_ request: CallRequest) -> Int32 {
    var request = request
    override(api.service)
    if options.printsCurl || options.isDry { return show(request) }
    let filter: ContentFilter?
    do throws(ContentFilter.Problem) {
      // Report an invalid expression before the request is sent.
      filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
    } catch {
      Exit.complain(error.report)
      return 1
    }
    tellOfNoSchema(request)
    let download = options.download
    // Errors have to be found before anything is saved.
    let readsGraphQL = request.resource.configuration(for: request.method).graphQL
    do throws(Download.Problem) {
      // Report a file that can't be written before the request is sent.
      try download?.open()
    } catch {
      return report(error)
    }
    request.download = readsGraphQL ? nil : download
    // For a download, only the command line sets a limit on the whole duration.
    if download != nil { request.timeout = options.timeout }
    let isPlain = !options.isFresh && !request.hasOwnHeaders && download == nil
    guard let started = request.start(ifNeeded: isPlain) else {
      trace?.showNothingIsSent()
      guard let entity = request.resource.latestData else { return 0 }
      return write(.success(entity), filter, nil)
    }
    let progress = ProgressBar(options, api.service.pump.clock)
    progress.follow(started)
    guard var response = host.loop.finish(started) else { return 0 }
    trace?.show(response, of: started)
    // The condition was set by the user, not by a cache: the user already has the data.
    if !response.isNew, request.hasOwnCondition { response = .failure(.notModified) }
    let code = write(response, filter, download)
    tellObstacle(of: download)
    if code == 0 {
      progress.closeSaved(download)
      tellName(of: download)
    }
    // Finish pending work, such as writing to a cache.
    host.loop.runUntilIdle()
    return code
  }

  /// Applies the settings of the command line, which override the settings of the API file.
  func override(_ service: Service) {
    let options = options
    if options.isVerbose, let environment = api.environment {
      StandardError.write("* environment \(environment.name)\n")
    }
    if options.isOffline { service.isOffline = true }
    let recordsTimings = options.isVerbose || options.showsHead
    let spelling = options.wantsBytes ? nil : spelling
    let traced = trace?.observer(withBodies: options.verbosity > 1)
    let wire = receivedHead?.observer(besides: traced) ?? traced
    guard
      options.wantsBytes || options.isInsecure || recordsTimings || options.timeout != nil
        || options.validation != nil || options.retries != nil || options.responseType != nil
        || spelling != nil
        || options.network != NetworkOptions() || !options.usualHeaders.isEmpty
    else { return }
    service.configure(
      nil, requestMethods: nil, description: "command line",
      source: SourcePlace(file: "command line", line: 0)
    ) { settings in
      if options.wantsBytes { settings.pipeline.clear() }
      spelling?.watch(&settings)
      if let validation = options.validation { settings.validation = validation }
      if let times = options.retries {
        var policy = settings.retry ?? RetryPolicy()
        policy.times = times
        settings.retry = times == 0 ? nil : policy
      }
      if let timeout = options.timeout {
        settings.limits.timeout = timeout
        settings.limits.connectTimeout = min(settings.limits.connectTimeout, timeout)
      }
      for (name, value) in options.usualHeaders where settings.headers[name] == nil {
        settings.headers[name] = value
      }
      if let type = options.responseType {
        settings.setOptions { $0.responseType = type }
        // Cached entries were parsed as another type.
        settings.pipeline.removeAllCaches()
      }
      options.network.apply(to: &settings)
      guard options.isInsecure || recordsTimings else { return }
      settings.setOptions { transfer in
        if options.isInsecure { transfer.connection.verifiesServer = false }
        if recordsTimings { transfer.recordsTimings = true }
        if let wire { transfer.wire = wire }
      }
    }
  }

  // MARK: Not sending

  private func show(_ request: CallRequest) -> Int32 {
    switch request.built() {
    case .success(let http):
      let auth = request.resource.configuration(for: request.method).auth
      let text = options.printsCurl ? CurlText(http, options, auth).text : HTTPText(http).text
      _ = Output.write(text)
      for sentence in options.printsCurl ? CurlText.omissions(http, auth) : [] {
        Exit.complain("lull: \(sentence)\n")
      }
      return 0
    // The script called os.exit: write nothing.
    case .failure where host.loop.isInterrupted: return 0
    case .failure(let error):
      Exit.fail("lull: \(error.summary)\n", error.facts)
      return CallExchange.exitCode(of: error)
    }
  }

  // MARK: Writing

  func write(
    _ response: Response, _ filter: ContentFilter?, _ download: Download?
  ) -> Int32 {
    if let problem = download?.problem { return report(problem) }
    let entity = response.entity ?? response.error?.entity
    var output: [UInt8] = []
    // Without a response there is no head to show.
    let status: Int? =
      if let error = response.error {
        error.httpStatusCode ?? error.exchange?.status
      } else {
        entity?.exchange?.status ?? 200
      }
    if options.showsHead, let status {
      let head =
        receivedHead?.text(status: status, style)
        ?? HTTPText.head(
          version: (response.error?.exchange ?? entity?.exchange)?.timings?.httpVersion,
          status: status, headers: entity?.headers ?? Headers(), style)
      output += head.utf8
    }
    // The output may fail because of the missing parts.
    let partial = tellPartialError(of: response.entity)
    var code: Int32 = 0
    if let error = response.error, error.isNotModified {
      if !options.showsHead, !options.isVerbose {
        Exit.complain(
          "lull: not modified (304)\(options.file.map { ": \($0) is unchanged" } ?? "")\n")
      }
      if !output.isEmpty { _ = Output.write(output) }
      return 0
    }
    if let error = response.error {
      var facts = error.facts
      let asksForDigest = error.asksForDigest && options.network.auth?.kind != .digest
      if asksForDigest { facts.fix = "-A digest -a USER:PASSWORD" }
      Exit.fail(CallExchange.text(of: error), facts)
      if asksForDigest, !ErrorLines.areOn {
        Exit.complain(
          "lull: the server requires Digest authentication: use -A digest -a USER:PASSWORD\n")
      }
      code = CallExchange.exitCode(of: error)
    }
    if case .validation(_, let misfits)? = response.error?.cause, options.format == .json {
      output += CallExchange.json(of: misfits, style)
    } else if let download, code == 0 {
      code = save(entity, in: download)
    } else if code != 0, style.isTerminal, options.format == nil,
      let summary = HTMLPage.summary(of: entity)
    {
      Exit.complain("lull: the response is \(summary); -o raw shows it\n")
    } else if let entity, !entity.content.isEmptyBytes {
      do throws(ContentFilter.Problem) {
        output += try bytes(of: entity, code == 0 ? filter : nil, isError: code != 0)
      } catch {
        Exit.complain(error.report)
        if code == 0 { code = 1 }
      }
    }
    if !output.isEmpty { _ = Output.page(output, isWanted: options.usesPager) }
    return partial == 0 ? code : partial
  }

  /// Reports the error of a GraphQL response that also has data. Returns the exit code. (GQL-49)
  func tellPartialError(of entity: Entity?) -> Int32 {
    guard let error = entity?.partialError else { return 0 }
    Exit.fail("\(CallExchange.text(of: error))", error.facts)
    return CallExchange.exitCode(of: error)
  }

  /// Writes a body that is not yet in the downloaded file, such as a body from a cache. A body from
  /// the network was already written during the request.
  private func save(_ entity: Entity?, in download: Download) -> Int32 {
    guard !download.isFinished else { return 0 }
    let bytes: [UInt8]
    do throws(ContentFilter.Problem) {
      bytes = try self.bytes(of: entity?.content ?? .bytes([]), .plain)
    } catch {
      Exit.complain(error.report)
      return 1
    }
    do throws(Download.Problem) {
      try download.save(bytes)
    } catch {
      return report(error)
    }
    return 0
  }

  private func report(_ problem: Download.Problem) -> Int32 {
    // The reader has closed the output, so there is nothing to report.
    if problem.isUnread { return 0 }
    let hint = problem.isPart ? "-o raw writes the bytes" : nil
    Exit.fail(
      "lull: cannot write \(problem.text)\(hint.map { "; \($0)" } ?? "")\n",
      FailureFacts("file", fix: hint))
    return 1
  }

  private func bytes(of entity: Entity, _ filter: ContentFilter?, isError: Bool)
    throws(ContentFilter.Problem) -> [UInt8]
  {
    let entity = isError ? entity : readable(entity)
    let content = entity.content
    spelling.settle(by: content)
    if options.chart != nil, !isError { return try chart(of: content, filter) }
    if let filter {
      let made = try filter.json(of: content, service: api.service, spelledBy: spelling.bytes)
      return try bytes(ofJSON: JSONText(valid: made))
    }
    if case .text(let came) = content, options.format == nil {
      if !style.isTerminal, let bytes = spelling.bytes(of: entity) { return bytes }
      return text.bytes(of: ColouredMarkup.text(came, in: entity, style) ?? came)
    }
    guard case .bytes(let bytes) = content else {
      return try self.bytes(of: content, style, isError ? nil : options.rows)
    }
    // The body of an error is not saved to the file, and was not parsed.
    if isError, let text = String(validating: bytes, as: UTF8.self) {
      return ContentText(format: nil, columns: [], style: style).bytes(of: text)
    }
    guard style.isTerminal, options.format != .raw else { return bytes }
    if let shown = ShownText.bytes(bytes, in: entity) { return shown }
    Exit.complain("lull: \(bytes.count) bytes not shown on a terminal: save them with -O FILE\n")
    return []
  }

  /// - Parameter rows: The path of the rows, used by formats that write rows. If it is `nil`, the
  ///   whole content counts as the rows.
  private func bytes(
    of content: Content, _ style: OutputStyle, _ rows: CallRows? = nil
  ) throws(ContentFilter.Problem) -> [UInt8] {
    var text = text
    text.style = style
    let rows = options.format?.isOfRows == true ? rows : nil
    switch try CallContent(content, of: api.service, in: host) {
    case .bytes(let bytes): return bytes
    case .text(let content):
      if let rows { throw rows.missingInText }
      return text.bytes(of: content)
    case .json(let element):
      if case .json(let document) = content, document.hasLines, options.format == nil,
        !options.isRaw
      {
        text = ContentText(format: .ndjson, columns: [], style: style)
      }
      let json = JSONText(element, spelledBy: spelling.bytes)
      let wanted = try rows?.of(json) ?? json
      warnOfColumns(in: wanted)
      return text.bytes(of: wanted)
    }
  }

  var text: ContentText {
    ContentText(
      format: options.format, columns: options.columns, style: style, isRaw: options.isRaw,
      guardsFormulas: options.guardsFormulas)
  }

  /// The message for standard error, without a line break.
  static func text(of error: RequestError) -> String {
    var text = "lull: \(error.summary)"
    if case .malformedJSON? = error.cause, let cause = error.cause {
      text += ": invalid JSON: \(cause.message)"
    }
    if case .graphQL(let errors)? = error.cause, errors.count > 1 {
      text +=
        ":" + errors.map { "\n  " + LogText.part($0.description, limit: 500) }.joined()
    }
    if case .validation(let schema, let misfits)? = error.cause {
      text +=
        ", the schema of \(schema):"
        + misfits.map { "\n  " + LogText.part("\($0)", limit: 500) }.joined()
    }
    return text + "\n"
  }

  static func exitCode(of error: RequestError) -> Int32 {
    if let status = error.httpStatusCode {
      if (400..<500).contains(status) { return 4 }
      if status >= 500 { return 5 }
    }
    switch error.cause {
    case .transport, .requestCancelled, .invalidURL: return 6
    case .graphQL: return 4
    default: return 1
    }
  }
}

extension RequestError {
  /// Whether the error is a response 304 to a condition that the user set. The user already has the
  /// data.
  fileprivate var isNotModified: Bool {
    httpStatusCode == 304 && cause?.kind == "no_local_data_for_304"
  }

  fileprivate static let notModified = RequestError(
    httpStatusCode: 304, entity: nil, cause: .noLocalDataFor304, timestamp: 0)
}

extension CallExchange {
  /// Prompts for confirmation of a write, if the environment requires that. Returns the exit code
  /// if the user does not confirm, otherwise `nil`. (ENV-14)
  func confirm(_ request: CallRequest) -> Int32? {
    guard let environment = api.environment, environment.needsConfirmation(isSafe: request.isSafe),
      !options.printsCurl, !options.isDry
    else { return nil }
    let text = "\(request.method) \(LogText.url(request.resource.url.text))"
    guard !options.isConfirmed else {
      environment.isConfirmed = true
      return nil
    }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      return refuse(text, environment.name)
    }
    switch PasswordPrompt.ask("\(api.fullName): \(text)\nSend it? [y/N] ", isShown: true) {
    case .text(let answer):
      guard ["y", "yes"].contains(answer.lowercased()) else { break }
      environment.isConfirmed = true
      return nil
    case .interrupted: return 130
    case .nothing: break
    case .noTerminal: return refuse(text, environment.name)
    }
    Exit.fail("lull: not sent\n", FailureFacts("unconfirmed"))
    return 1
  }

  private func refuse(_ text: String, _ environment: String) -> Int32 {
    Exit.fail(
      "lull: \(text) is not sent: writes to the environment '\(environment)' need confirmation at a terminal, or "
        + "--yes\n", FailureFacts("unconfirmed", fix: "--yes"))
    return 2
  }
}

extension CallExchange {
  /// Reports why `-C` can't resume a partial file.
  func tellObstacle(of download: Download?) {
    guard let obstacle = download?.obstacle else { return }
    Exit.complain(
      "lull: the partial file '\(obstacle.part)' is kept, but -C cannot resume it: "
        + "\(obstacle.reason)\n")
  }

  /// Reports the name of the downloaded file if Lull chose it.
  func tellName(of download: Download?) {
    if let download, download.replacesWhole, let name = download.shownPath {
      Exit.complain(
        "lull: there is no partial download of '\(name)' to resume: loading all of it\n")
    }
    guard options.namesFile, let name = download?.shownPath else { return }
    Exit.complain("lull: saved as '\(name)'\n")
  }
}

extension Download {
  /// The path of the downloaded file as shown in messages. `nil` until it is known.
  var shownPath: String? {
    path.map(\.description).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
  }
}
