import CLullBridge
import LullClients
import LullCore
import LullHost

// Functions that only the Lua half of `lull.test` uses. Scripts do not see them.
extension APIOwner {
  static let testFunctions = APIOwner.unseen(
    .test, hidden: declaringFunctions + timeFunctions + networkFunctions + snapshotFunctions)

  private static let declaringFunctions: [APIEntry] = [
    // Declares a test. Returns the line of an existing test with that name, if there is one.
    .hidden("declare", "sns") { call throws(Misuse) in
      let mode = DeclaredTest.Mode(rawValue: call.string(3)) ?? .plain
      let test = DeclaredTest(
        name: call.string(1), line: Int(call.number(2) ?? 0), mode: mode)
      call.return(
        call.part(TestCase.self).declare(test).map { .int(Int64($0)) } ?? .nil)
    },
    .hidden("met", "") { call throws(Misuse) in call.part(TestCase.self).met() },
    .hidden("was_not_met", "s") { call throws(Misuse) in
      call.part(TestCase.self).wasNotMet(call.string(1))
    },
    .hidden("printed", "") { call throws(Misuse) in
      call.return(.bytes(call.part(TestCase.self).printed()))
    },
  ]

  private static let timeFunctions: [APIEntry] = [
    .hidden("now", "") { call throws(Misuse) in
      call.return(.number(call.pump.clock.now))
    },
    .hidden("set_time", "n") { call throws(Misuse) in
      let time = call.number(1) ?? .nan
      guard time.isFinite, abs(time) < 1e15 else {
        throw .message("expected a time in seconds since 1970, got \(call.raw(1).described)")
      }
      try call.part(TestCase.self).held.clock.set(time)
    },
  ]

  private static let networkFunctions: [APIEntry] = [
    // Adds a rule for requests. Returns its number, by which responses are added to it.
    .hidden("rule", "sst") { call throws(Misuse) in
      let network = try call.part(TestCase.self).held.network
      let method = try MethodReader.method(call.string(1))
      var content: StubContent?
      if let body = try call.reading.optionalBody(table: call.index(3), in: call.state) {
        do throws(RequestBodyFailure) {
          content = try StubContent(try body.get())
        } catch {
          throw .message("the body of the request cannot be encoded: \(error.cause.message)")
        }
      }
      do throws(URLGlob.Problem) {
        call.return(.int(Int64(network.addRule(method, try URLGlob(call.string(2)), content))))
      } catch {
        throw .message(error.text)
      }
    },
    .hidden("answer", "itn") { call throws(Misuse) in
      let result = try call.reading.answers.result(table: call.index(2), call.state, url: "")
      try add(.result(result, delay: try delay(call, 3)), call)
    },
    .hidden("fail", "isn") { call throws(Misuse) in
      guard let fault = NetworkFault(rawValue: call.string(2)) else {
        let known = NetworkFault.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw .message("expected a network failure, one of \(known), got '\(call.string(2))'")
      }
      try add(.fault(fault, delay: try delay(call, 3)), call)
    },
    .hidden("handle", "if") { call throws(Misuse) in
      let id = try call.stored.keep(call.state, call.index(2))
      // Pin the function until the host of the test is closed.
      guard call.stored.pin(id) else { throw .message("not enough memory") }
      let provider = LuaNetworking(
        id, call.callbacks, call.reading.answers, log: call.pump.log)
      try add(.function(provider), call)
    },
    // Adds a recording that answers requests. The names of additional headers to compare are
    // separated by commas. The names of values to hide are separated by line breaks.
    .hidden("cassette", "sss") { call throws(Misuse) in
      let test = call.part(TestCase.self)
      let held = try test.held
      let headers = call.string(2).split(separator: ",").map(String.init)
      let names = call.string(3).split(separator: "\n").map { $0.lowercased() }
      do throws(CassetteSet.Problem) {
        let started = try held.network.cassettes.insert(
          call.string(1), folder: test.folder, comparing: headers, hiding: names)
        if let started { held.clock.begin(at: started) }
      } catch {
        // A missing recording fails the test even if the script catches the error.
        if error.isOfFile { test.wasNotMet(error.text) }
        throw .message(error.text)
      }
    },
    // Assigns a recording to the service at a URL, in one environment. An empty name means that
    // there is none.
    .hidden("claim", "sss") { call throws(Misuse) in
      let environment = call.string(3)
      try call.part(TestCase.self).held.network.cassettes.claim(
        call.string(1),
        CassetteClaim(
          url: call.string(2), environment: environment.isEmpty ? nil : environment))
    },
    .hidden("exchanges", "") { call throws(Misuse) in
      let exchanges = try call.part(TestCase.self).held.network.exchanges
      call.return(.list(exchanges.map(\.luaValue)))
    },
  ]

  private static func add(_ answer: AnswerStub, _ call: Call) throws(Misuse) {
    try call.part(TestCase.self).held.network.add(answer, to: Int(call.number(1) ?? -1))
  }

  private static func delay(_ call: Call, _ position: Int) throws(Misuse) -> Double {
    guard let seconds = call.number(position), seconds >= 0, seconds.isFinite else {
      throw .message("'delay' must be a number of seconds, 0 or more")
    }
    return seconds
  }

  private static let snapshotFunctions: [APIEntry] = [
    // Returns four values: whether the key is used for the first time, the stored text, whether the
    // text is to be replaced, and whether writing is forbidden.
    .hidden("snapshot", "s") { call throws(Misuse) in
      let test = call.part(TestCase.self)
      let key = call.string(1)
      call.return(.bool(test.snapshots.use(key)))
      call.return(test.snapshots.known[key].map { .string($0) } ?? .nil)
      call.return(.bool(test.snapshots.isUpdating))
      call.return(.bool(test.snapshots.isReadOnly))
    },
    // Returns a text as it may be stored: without the values that the current recording hides.
    .hidden("hidden", "s") { call throws(Misuse) in
      let network = try call.part(TestCase.self).held.network
      call.return(.string(network.cassettes.hidden(call.string(1))))
    },
    .hidden("keep_snapshot", "ss") { call throws(Misuse) in
      call.part(TestCase.self).snapshots.keep(call.string(2), for: call.string(1))
    },
    // Returns the removed and the added lines, each with a mark for its kind.
    .hidden("line_difference", "ss") { call throws(Misuse) in
      let difference = ContentDifference(.text(call.string(1)), .text(call.string(2)))
      let lines = difference.entries.compactMap { entry -> LuaValue? in
        switch entry {
        case .added(_, let text): .string("+ " + line(text))
        case .removed(_, let text): .string("- " + line(text))
        default: nil
        }
      }
      call.return(.list(lines))
    },
  ]
}

extension APIOwner {
  /// Returns a line without its line break.
  private static func line(_ text: JSONText) -> String {
    let line = text.string ?? ""
    return line.hasSuffix("\n") ? String(line.dropLast()) : line
  }
}

extension StubExchange {
  /// The body that would have been sent, even if it is a stream. `nil` if there is no body, or if
  /// the body can no longer be read.
  private var body: [UInt8]? {
    switch request.payload {
    case .bytes(let bytes)?: bytes
    case .streamed(let stream)?: try? stream.bytes()
    case nil: nil
    }
  }

  /// The request as a table for the script.
  fileprivate var luaValue: LuaValue {
    var fields: [(String, LuaValue)] = [
      ("method", .string(request.method.rawValue)), ("url", .string(LogText.url(request.url))),
      (
        "headers",
        .table(
          request.headers.lines.bytePairs.map { pair in
            (.string(String(decoding: pair.name, as: UTF8.self).lowercased()), .bytes(pair.value))
          })
      ),
      ("sent_at", .number(start)),
    ]
    if let body { fields.append(("body", .bytes(body))) }
    if let status {
      fields += ["status", "http_status"].map { ($0, LuaValue.int(Int64(status))) }
    }
    if let error { fields.append(("error", .string(error))) }
    if let end { fields.append(("seconds", .number(end - start))) }
    return .map(fields)
  }
}
