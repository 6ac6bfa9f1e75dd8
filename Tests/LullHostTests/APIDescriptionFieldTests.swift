import LullClients
import LullCore
import Testing

@testable import LullHost

/// The description's fields and words against the lists of known keys and the cases in the code.
@Suite(.timeLimit(.minutes(20)))
struct APIDescriptionFieldTests {
  /// The same in an API file, which hands its tables over as what it returns.
  private static func apiFile(_ text: String) -> String {
    """
    local path = os.tmpname()
    os.remove(path)
    path = path .. ".lua"
    lull.write_file(path, (([[local service = require("lull").service("https://x.test")
      local value = coroutine.create(print)
      \(text)]]):gsub("KEY", key)))
    local ok, err = pcall(function() return pairs(lull.api(path).calls) end)
    os.remove(path)
    if not ok then error(err, 0) end
    """
  }

  /// Lua that hands over a table with the field `key` where the owner's fields belong.
  private static let takers: [String: String] = [
    "APIFileFields": apiFile("return { service = service, KEY = value }"),
    "APICallFields": apiFile(
      "return { service = service, calls = { a = { path = '/', KEY = value } } }"),
    "APIParamFields": apiFile(
      "return { service = service, calls = { a = { path = '/', params = { x = { KEY = value } } } } }"
    ),
    "MockAnswer": apiFile(
      "return { service = service, calls = { a = { path = '/', examples = { { KEY = value } } } } }"
    ),
    "MockExample": apiFile(
      "return { service = service, calls = { a = { path = '/', examples = { { KEY = value } } } } }"
    ),
    "ServiceOptions": "lull.service{ base_url = 'https://x.test', [key] = value }",
    "Settings": "api:configure{ [key] = value }",
    "PipelineSettings": "api:configure{ pipeline = { [key] = value } }",
    "StageSettings": "api:configure{ pipeline = { model = { [key] = value } } }",
    "RetrySettings": "api:configure{ retry = { [key] = value } }",
    "BackoffSettings": "api:configure{ retry = { backoff = { [key] = value } } }",
    "RateLimitSettings": "api:configure{ rate_limit = { [key] = value } }",
    "ConfigureOptions": "api:configure('/x', {}, { [key] = value })",
    "TransformOptions": "api:transform(print, { [key] = value })",
    "StageOptions": """
    local problem
    api:configure("/probe", function(config)
      local ok, err = pcall(function() config.pipeline.model:add(print, { [key] = value }) end)
      problem = not ok and err
    end)
    api:configuration_for(api("/probe"))
    if problem then error(problem, 0) end
    """,
    "EntityFields": "lull.entity{ [key] = value }",
    "ErrorFields": "lull.error{ [key] = value }",
    "SuccessFields": "lull.success{ [key] = value }",
    "Body": "api('/x'):post{ [key] = value }",
    "FileOptions": "lull.file('a', { [key] = value })",
    "MultipartPart": "lull.multipart{ a = { value = 'x', [key] = value } }",
    "RequestOptions": "api('/x'):post(nil, { [key] = value })",
    "QueryOptions": "api('/x'):query{ [key] = value }",
    "OneOffOptions": "lull.get('https://x.test', { [key] = value })",
    "CustomRequest": "lull.custom_request{ start = print, [key] = value }",
    "NetworkAnswer": "lull.testing.stub{ ['GET /x'] = { [key] = value } }",
    "NetworkReport": """
    local problem = "attempt to call a nil value"
    local fake = lull.service{ base_url = "https://x.test", networking = function(_, _, report)
      local ok, err = pcall(function() report{ [key] = value } end)
      problem = not ok and err
      return { status = 200 }
    end }
    fake("/x"):get():await()
    if problem then error(problem, 0) end
    """,
    "FileCacheOptions": "lull.cache.file{ [key] = value }",
    "SharedCacheOptions": "lull.cache.shared{ [key] = value }",
    "ShareOptions": "lull.share{ [key] = value }",
    "StubAnswer": "lull.testing.stub{ ['GET /x'] = { [key] = value } }",
    "OAuth2Client": "lull.auth.oauth2_client_credentials{ [key] = value }",
    "OAuth2RefreshClient": "lull.auth.oauth2_refresh{ [key] = value }",
    "OAuth2CodeLogin": "lull.auth.oauth2_code{ [key] = value }",
    "OAuth2DeviceLogin": "lull.auth.oauth2_device{ [key] = value }",
    "SecretSource": "lull.secret{ [key] = value }",
    "NetrcOptions": "lull.auth.netrc{ [key] = value }",
    "AWSCredentials": "lull.auth.aws_sigv4{ [key] = value }",
    "InspectOptions": "lull.inspect(1, { [key] = value })",
    "EncodeOptions": "lull.json.encode(1, { [key] = value })",
    "Base64Options": "lull.base64.encode('', { [key] = value })",
    "DigestOptions": "lull.sha256('', { [key] = value })",
    "ISOOptions": "lull.time.iso(0, { [key] = value })",
    "CSVOptions": "lull.csv.decode('', { [key] = value })",
    "DownloadOptions": "api('/x'):download('/no/such/folder/x', { [key] = value })",
    "WatchOptions": "api('/x'):watch{ [key] = value }",
    "PagesOptions": "api('/x'):pages{ [key] = value }",
    "FollowOptions": "api('/x'):follow{ [key] = value }",
    "StreamOptions": "api('/x'):events{ [key] = value }",
    "CursorOptions": "api('/x'):pages{ cursor = { [key] = value } }",
    "OffsetOptions": "api('/x'):pages{ offset = { [key] = value } }",
    "PageNumberOptions": "api('/x'):pages{ page = { [key] = value } }",
    "WriteOptions": "lull.write_file('/no/such/folder/x', '', { [key] = value })",
    "ArgumentsSpec": "lull.args({ [integer(key)] = value }, {})",
    "ArgumentSpec": "lull.args({ { '--x', [integer(key)] = value } }, {})",
    "MapOptions": "lull.map({}, print, { [key] = value })",
    "WaitOptions": "lull.wait_until(print, { [key] = value })",
    "StatusOptions": "lull.status({}, { [key] = value })",
    "TokenOptions": "lull.auth.token{ [key] = value }",
  ]

  /// Tables whose other keys are nobody's business, or that are only given.
  private static let unchecked: Set<String> = [
    "APICallParam", "Cause", "Observer", "CacheTable", "RequestAttempt", "Stats", "Timings",
    "URLParts", "MockRequest", "ValidationError", "GraphQLError",
    // Of an environment that is chosen. (ENV-04)
    "APIEnvironmentFields",
    // Of tests, where they are probed (PRV-80).
    "TestAnswer", "TestExchange", "ExpectedFailure", "SnapshotOptions", "TestServiceOptions",
    "TestAPIOptions", "StubbedRequest",
  ]

  /// Whether the table is taken and the key is not turned away as unknown.
  private func isTaken(_ key: String, by taker: String, _ harness: HostHarness) -> Bool {
    let end = harness.run(
      """
      local api = lull.service("https://x.test")
      local key, value = "\(key)", coroutine.create(print)
      local function integer(key) return key == "[integer]" and 2 or key end
      local ok, err = pcall(function() \(taker) end)
      err = tostring(err)
      if ok or not (err:find("unknown setting", 1, true) or err:find("attempt to", 1, true)
        or err:find("there is no stage", 1, true)) then
        return "taken"
      end
      return err
      """)
    return end == .finished("taken")
  }

  @Test func `every options table is probed or unchecked`() {
    for owner in APIDescription.whole.owners {
      guard case .table = owner.kind else { continue }
      let isProbed = Self.takers[owner.name] != nil
      #expect(isProbed != Self.unchecked.contains(owner.name), "\(owner.name)")
    }
  }

  @Test func `every described field is taken and no other`() throws {
    let harness = try HostHarness()
    for (name, taker) in Self.takers {
      let owner = try #require(APIDescription.whole.owner(name), "\(name) is not described")
      #expect(!isTaken("no_such_key", by: taker, harness), "\(name) takes any key")
      for entry in owner.entries {
        let key = entry.name == "<stage>" ? "model" : entry.name
        let isTaken = isTaken(key, by: taker, harness)
        if APIDescriptionGaps.notYetBuilt.contains("\(name).\(entry.name)") {
          #expect(
            !isTaken,
            "\(name).\(entry.name) exists: take it off the list APIDescriptionGaps.notYetBuilt")
        } else {
          #expect(isTaken, "\(name).\(entry.name) is described but not taken")
        }
      }
    }
  }

  private func described(_ owner: String) throws -> Set<String> {
    let owner = try #require(APIDescription.whole.owner(owner))
    return Set(
      owner.entries.filter { !APIDescriptionGaps.notYetBuilt.contains("\(owner.name).\($0.name)") }
        .map(\.name))
  }

  /// What only one of them has.
  private func difference(_ owner: String, _ known: some Sequence<String>) throws -> Set<String> {
    try described(owner).symmetricDifference(known)
  }

  @Test func `every key the code knows is described`() throws {
    #expect(try difference("Settings", Setting.names) == [])
    #expect(try difference("Configuration", Setting.names) == [])
    #expect(try difference("Body", RequestBodyReader.keys) == [])
    #expect(try difference("WatchOptions", APIOwner.watchKeys) == [])
    #expect(try difference("PagesOptions", LuaPages.Options.pagesKeys) == [])
    #expect(try difference("WriteOptions", APIOwner.writeKeys) == [])
    #expect(try difference("Base64Options", APIOwner.base64Keys) == [])
    #expect(try difference("DigestOptions", APIOwner.digestKeys) == [])
    #expect(try difference("ISOOptions", APIOwner.isoKeys) == [])
    #expect(try difference("CSVOptions", APIOwner.csvKeys) == [])
    #expect(
      try difference("ArgumentsSpec", ScriptArgumentReader.specKeys + ["[integer]"]) == [])
    #expect(try difference("ArgumentSpec", ScriptArgumentReader.argumentKeys + ["[integer]"]) == [])
    #expect(try difference("ArgumentType", ScriptArgumentReader.types) == [])
    #expect(try difference("CursorOptions", LuaPages.Options.cursorKeys) == [])
    #expect(try difference("PageNumberOptions", LuaPages.Options.pageNumberKeys) == [])
    #expect(try difference("RequestOptions", RequestOptions.keys) == [])
    #expect(
      try difference("OneOffOptions", OneOffOptions.ownKeys + RequestBodyReader.keys) == [])
    #expect(try difference("FollowOptions", APIOwner.followKeys) == [])
    #expect(try difference("StatusOptions", APIOwner.statusKeys) == [])
    #expect(try difference("TokenOptions", CredentialReader.tokenKeys) == [])
    #expect(try difference("StreamOptions", StreamArguments.keys) == [])
    #expect(try difference("DownloadOptions", RequestOptions.downloadKeys) == [])
    #expect(try difference("FileOptions", APIOwner.uploadKeys) == [])
    #expect(try difference("MultipartPart", MultipartReader.partKeys) == [])
    #expect(try difference("NetworkAnswer", NetworkAnswerReader.keys) == [])
    #expect(try difference("StubAnswer", NetworkAnswerReader.keys) == [])
  }

  @Test func `what stats counts is described`() throws {
    let harness = try HostHarness()
    #expect(try difference("Stats", harness.host.statistics.map(\.name)) == [])
    harness.finish()
  }

  @Test func `defaults are those of a new configuration`() throws {
    let settings = Configuration()
    #expect(settings.expirationTime == .seconds(30))
    let defaults: [(String, Double)] = [
      ("expiration_time", 30), ("retry_time", settings.retryTime),
      ("progress_reporting_interval", settings.progressReportingInterval),
      ("timeout", settings.limits.timeout), ("connect_timeout", settings.limits.connectTimeout),
      ("connections_per_host", Double(settings.limits.connectionsPerHost)),
      ("max_body_size", Double(settings.limits.maxBodySize >> 20)),
    ]
    let owner = try #require(APIDescription.whole.owner("Settings"))
    for (name, value) in defaults {
      let entry = try #require(owner.entries.first { $0.name == name })
      let text = value == value.rounded() ? "\(Int(value))" : "\(value)"
      #expect(
        entry.summary.contains("default \(text).") || entry.summary.contains("default \(text) MB."),
        "\(name) is \(text)")
    }
  }

  @Test func `words are those of the code`() throws {
    // LOG-01, LOG-03
    let categories = Log.Category.allCases.map(\.rawValue) + ["common", "detailed", "all"]
    #expect(try difference("LogCategory", categories) == [])
    // OBS-10, OBS-11
    let constants = (0...100).compactMap { LuaConstant(rawValue: $0)?.text.description }
    let sources = try described("DataSource")
    #expect(try difference("ResourceEvent", constants) == sources)
    #expect(try difference("StageName", PipelineStageKey.standardOrder.map(\.description)) == [])
    let mismatches = InputTypeMismatchAction.allCases.map(\.rawValue)
    #expect(try difference("InputTypeMismatch", mismatches) == [])
    // HOOK-14
    for word in try described("RequestState") {
      #expect(RequestState(rawValue: word) != nil, "\(word) is no state")
    }
  }

  @Test func `kinds and fields of causes are those of the code`() throws {
    // ERR-09
    let script = ScriptErrorCause(
      userMessage: "", message: "", traceback: "", stage: "model", value: nil)
    let causes: [RequestError.Cause] =
      [
        .invalidURL(source: ""), .unencodableText(encoding: "", text: ""),
        .invalidJSONObject(path: ""), .notURLEncodable(string: ""), .requestCancelled,
        .noLocalDataFor304, .invalidTextEncoding(name: ""), .undecodableText(encoding: ""),
        .wrongInputTypeInTransformerPipeline(expected: "", actual: "", transformer: ""),
        .transformerReturnedNil(transformer: ""), .malformedJSON(message: ""),
        .wrongContent(type: "", path: "", message: ""), .validation(schema: "", errors: []),
        .graphQL([]),
        .chainTooLong(message: ""), .invalidSetting(name: "", message: ""),
        .script(script), .custom(TransportError(.network, "")),
      ] + TransportError.Kind.allCases.map { .transport(TransportError($0, "")) }
    #expect(try difference("CauseKind", causes.map(\.kind)) == [])
    let fields =
      causes.flatMap { $0.payload.map(\.name) } + [
        "kind", "message", "value", "byte", "errors", "error",
      ]
    #expect(try difference("Cause", fields) == [])
  }
}
