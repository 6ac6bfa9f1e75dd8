import LullCore
import LullHost

/// Makes one request of an API and writes what comes of it; the exit code says how it went.
struct CallExchange {
  let host: LuaHost
  let api: APIFile
  let options: CallOptions
  let style = OutputStyle.forStandardOutput()

  init(_ host: LuaHost, _ api: APIFile, _ options: CallOptions) {
    self.host = host
    self.api = api
    self.options = options
  }

  func run(_ request: CallRequest) -> Int32 {
    override(api.service)
    if options.printsCurl || options.isDry { return show(request) }
    let filter: ContentFilter?
    do throws(ContentFilter.Problem) {
      // An expression that is none must not be noticed when the request has done its work.
      filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
    } catch {
      Exit.complain(error.report)
      return 1
    }
    let isPlain = !options.isFresh && !request.hasOwnHeaders
    guard let started = request.start(ifNeeded: isPlain) else {
      if options.isVerbose { StandardError.write("* nothing is sent: a cache has it\n") }
      guard let entity = request.resource.latestData else { return 0 }
      return write(.success(entity), filter)
    }
    if options.file != nil { ProgressBar().follow(started) }
    guard let response = host.finish(started) else { return 0 }
    if options.isVerbose {
      ExchangeTrace(style).show(sent: started)
      ExchangeTrace(style).show(response, of: started)
    }
    let code = write(response, filter)
    // What has been begun meanwhile comes to its end, such as the writing of a cache.
    host.runUntilIdle()
    return code
  }

  /// What the command line sets, over what the API's file does.
  func override(_ service: Service) {
    let options = options
    if options.isOffline { service.isOffline = true }
    if options.isInsecure {
      Exit.complain("lull: warning: --insecure: nobody checks who answers\n")
    }
    let recordsTimings = options.isVerbose || options.showsHead
    guard
      options.wantsBytes || options.isInsecure || recordsTimings || options.timeout != nil
    else { return }
    service.configure(
      nil, methods: nil, description: "command line",
      source: SourcePlace(file: "command line", line: 0)
    ) { settings in
      if options.wantsBytes { settings.pipeline.clear() }
      if let timeout = options.timeout {
        settings.limits.timeout = timeout
        settings.limits.connectTimeout = min(settings.limits.connectTimeout, timeout)
      }
      guard options.isInsecure || recordsTimings else { return }
      settings.setOptions { transfer in
        if options.isInsecure { transfer.connection.verifiesServer = false }
        if recordsTimings { transfer.recordsTimings = true }
      }
    }
  }

  // MARK: Not sending

  private func show(_ request: CallRequest) -> Int32 {
    switch request.built() {
    case .success(let http):
      let text = options.printsCurl ? CurlText(http).text : HTTPText(http).text
      _ = Output.write(text)
      return 0
    // Whoever has called os.exit wants nothing more.
    case .failure where host.isInterrupted: return 0
    case .failure(let error):
      Exit.complain("lull: \(error.longDescription)\n")
      return CallExchange.exitCode(of: error)
    }
  }

  // MARK: Writing

  private func write(_ response: Response, _ filter: ContentFilter?) -> Int32 {
    let entity = response.entity ?? response.error?.entity
    var output: [UInt8] = []
    if options.showsHead {
      output +=
        HTTPText.head(
          version: (response.error?.exchange ?? entity?.exchange)?.timings?.httpVersion,
          status: response.error?.httpStatus ?? entity?.exchange?.status ?? 200,
          headers: entity?.headers ?? Headers(), style
        ).utf8
    }
    var code: Int32 = 0
    if let error = response.error {
      Exit.complain("lull: \(error.longDescription)\n")
      code = CallExchange.exitCode(of: error)
    }
    if let file = options.file, code == 0 {
      guard case .bytes(let bytes)? = entity?.content ?? .bytes([]) else { return 1 }
      if let problem = SavedFile.write(bytes, to: file) {
        Exit.complain("lull: cannot write \(problem)\n")
        code = 1
      }
    } else if let content = entity?.content, !content.isEmptyBytes {
      do throws(ContentFilter.Problem) {
        output += try bytes(of: content, code == 0 ? filter : nil, isError: code != 0)
      } catch {
        Exit.complain(error.report)
        if code == 0 { code = 1 }
      }
    }
    if !output.isEmpty { _ = Output.write(output) }
    return code
  }

  private func bytes(of content: Content, _ filter: ContentFilter?, isError: Bool)
    throws(ContentFilter.Problem) -> [UInt8]
  {
    let shown: CallContent
    if let filter {
      let document = try filter.json(of: content, service: api.service)
      shown = .json(document.root)
    } else {
      shown = try host.callContent(content, service: api.service)
    }
    // Of an error nothing was to be saved, and nothing parsed it.
    if case .bytes(let bytes) = shown, isError, let text = String(validating: bytes, as: UTF8.self)
    {
      return ContentText(format: nil, columns: [], style: style).bytes(of: .text(text))
    }
    if case .bytes(let bytes) = shown, style.isTerminal, options.format != .raw {
      Exit.complain("lull: \(bytes.count) bytes not shown on a terminal: save them with -O FILE\n")
      return []
    }
    return ContentText(format: options.format, columns: options.columns, style: style)
      .bytes(of: shown)
  }

  static func exitCode(of error: RequestError) -> Int32 {
    if let status = error.httpStatus {
      if (400..<500).contains(status) { return 4 }
      if status >= 500 { return 5 }
    }
    switch error.cause {
    case .transport, .requestCancelled, .invalidURL: return 6
    default: return 1
    }
  }
}
