import LullClients
import LullCore
import LullHost

/// Calls the functions `mock` of an API file, all of which share one table.
///
/// Home thread only.
final class MockHandlers {
  enum End {
    case answer(MockAnswer)
    /// It has returned nil: others may answer.
    case nothing
    case failed(String)
  }

  private let callbacks: Callbacks
  private let reading: ScriptReading
  private let limits: LimitKeeper
  /// The number of the function that calls them.
  private let caller: Int64

  init(_ host: LuaHost) throws(MockProblem) {
    callbacks = host.callbacks
    reading = host.reading
    limits = host.limits
    let kept = host.callbacks.kept
    let noMemory = MockProblem(text: "cannot start: not enough memory")
    guard let chunk = try? host.chunks.compile(Array(text.utf8), name: Array("=lull.mock".utf8))
    else { throw noMemory }
    defer { chunk.release() }
    let made = host.coroutines.ask(chunk.callable, [], kind: "lull.mock") { results -> Int64? in
      guard let id = try? kept.keep(results.state, results.index(0)), kept.pin(id) else {
        return nil
      }
      return id
    }
    guard case .success(let id?) = made else { throw noMemory }
    caller = id
  }

  /// Asks a function; `completion` is called once, at once or later.
  func call(
    _ function: Int64, of call: APICall, _ request: MockRequest, url: String,
    _ values: [String: CallValue], completion: @escaping (End) -> Void
  ) {
    let place = "mock of call '\(call.name)'"
    let arguments: [LuaValue] = [
      .ref(function), MockHandlers.table(request, call, url: url, values),
      .list(values.filter { $0.value.isJSON }.map { .string($0.key) }),
    ]
    callbacks.call(caller, arguments, as: place) { [callbacks, reading, limits] end in
      let failure: ScriptFailure
      switch end {
      case .finished(let results):
        do throws(Misuse) {
          let answer = try MockAnswer(returned: results, reading)
          return completion(answer.map { .answer($0) } ?? .nothing)
        } catch {
          failure = callbacks.failure(error, of: function)
        }
      case .failed(let raised): failure = raised
      }
      // The place that a limit names may be far from the function.
      let message = limits.hasPassed ? "\(place): \(failure.message)" : failure.message
      callbacks.report(failure, in: place)
      completion(.failed(message))
    }
  }

  /// A request as the functions see it.
  private static func table(
    _ request: MockRequest, _ call: APICall, url: String, _ values: [String: CallValue]
  ) -> LuaValue {
    let headers = Dictionary(grouping: request.headers, by: \.name).map { name, all in
      (name, LuaValue.bytes(Array(all.map(\.value).joined(separator: Array(", ".utf8)))))
    }
    let query = Dictionary(
      request.parameters.map { ($0.name, LuaValue.string($0.value)) }, uniquingKeysWith: { $1 })
    return .map([
      ("call", .string(call.name)), ("method", .string(request.method)),
      ("path", .string(request.path)), ("url", .string(url + request.target)),
      ("params", .map(values.map { ($0.key, $0.value.luaValue) })),
      ("query", .map(query.map { ($0.key, $0.value) })), ("headers", .map(headers)),
      ("body", .bytes(request.body)),
    ])
  }

  /// What their functions raise they raise themselves; a body that is no JSON has no `json`.
  private let text = #"""
    local decode = require("lull").json.decode
    local state = {}
    return function(answer, request, encoded)
      if request.body:find("^%s*[%[{\"%w-]") then request.json = decode(request.body) end
      for _, name in ipairs(encoded) do request.params[name] = decode(request.params[name]) end
      return (answer(request, state))
    end
    """#
}

extension CallValue {
  fileprivate var isJSON: Bool {
    switch self {
    case .json: true
    case .list(let elements): elements.contains(where: \.isJSON)
    default: false
    }
  }

  fileprivate var luaValue: LuaValue {
    switch self {
    case .string(let text): .string(text)
    case .number(let number): .number(number)
    case .integer(let number): .int(Int64(number))
    case .digits(let digits): .digits(digits)
    case .boolean(let bool): .bool(bool)
    case .json(let bytes): .bytes(bytes)
    case .secret(let secret): .string(secret.masked)
    case .list where isJSON: .bytes(jsonText)
    case .list(let elements): .list(elements.map(\.luaValue))
    case .object(let members): .map(members.map { ($0.name, $0.value.luaValue) })
    case .file(let file): .bytes(file.path.bytes)
    case .content(let bytes): .bytes(bytes)
    }
  }
}
