import CLullMock
import LullClients
import LullCore
import LullHost

/// Calls the `mock` functions of an API file through `handlers.lua`, and the functions that produce
/// bodies.
///
/// Home thread only.
final class MockHandlers {
  enum End {
    case answer(MockAnswer, stream: MockStream?)
    /// The function returned nil, so the response comes from another source.
    case nothing
    case failed(String)
  }

  fileprivate let callbacks: Callbacks
  private let reading: ScriptReading
  private let limits: LimitKeeper
  /// The IDs of the functions that `handlers.lua` returns.
  private let ask: Int64
  fileprivate let nextPiece: Int64
  fileprivate let close: Int64

  init(_ host: LuaHost) throws(MockProblem) {
    callbacks = host.callbacks
    reading = host.reading
    limits = host.loop.limits
    let stored = host.callbacks.stored
    let noMemory = MockProblem(text: "cannot start: not enough memory")
    guard
      let chunk = try? host.sources.compile(ShippedLua.handlers, name: Array("=lull.mock".utf8))
    else { throw noMemory }
    defer { chunk.release() }
    let made = host.coroutines.ask(chunk.callable, [], kind: "lull.mock") { results -> [Int64] in
      (0..<3).compactMap { position in
        guard let id = try? stored.keep(results.state, results.index(position)), stored.pin(id)
        else {
          return nil
        }
        return id
      }
    }
    guard case .success(let ids) = made, ids.count == 3 else { throw noMemory }
    (ask, nextPiece, close) = (ids[0], ids[1], ids[2])
  }

  /// Calls a `mock` function. `completion` is called once, immediately or later.
  ///
  /// - Parameter call: The call that the request matches. nil if the function belongs to the whole
  ///   file.
  func call(
    _ function: Int64, of call: APICall?, _ request: MockRequest, _ site: MockSite,
    _ values: [String: CallValue], completion: @escaping (End) -> Void
  ) {
    let place = call.map { "mock of call '\($0.name)'" } ?? "mock of the file"
    let arguments: [LuaValue] = [
      .ref(function), MockHandlers.table(request, call, site, values),
      .list(values.filter { $0.value.isJSON }.map { .string($0.key) }),
    ]
    callbacks.call(ask, arguments, as: place) { [self] end in
      let failure: ScriptFailure
      switch end {
      case .finished(let results):
        // If the response is invalid, this stream is closed.
        let stream = results[1].double.map { MockStream(Int64($0), self, place) }
        do throws(Misuse) {
          guard let answer = try MockAnswer(returned: results, reading) else {
            return completion(.nothing)
          }
          return completion(.answer(answer, stream: stream))
        } catch {
          stream?.close()
          failure = callbacks.failure(error, of: function)
        }
      case .failed(let raised): failure = raised
      }
      report(failure, in: place, completion: completion)
    }
  }

  private func report(
    _ failure: ScriptFailure, in place: String, completion: (End) -> Void
  ) {
    // The position in an error about a limit may be far from the function, so name the function.
    let message = limits.hasPassed ? "\(place): \(failure.message)" : failure.message
    callbacks.report(failure, in: place)
    completion(.failed(message))
  }

  /// Returns a request as a table for `mock` functions.
  private static func table(
    _ request: MockRequest, _ call: APICall?, _ site: MockSite, _ values: [String: CallValue]
  ) -> LuaValue {
    let headers = Dictionary(grouping: request.headers, by: \.name).map { name, all in
      (name, LuaValue.bytes(Array(all.map(\.value).joined(separator: Array(", ".utf8)))))
    }
    let query = Dictionary(
      request.parameters.map { ($0.name, LuaValue.string($0.value)) }, uniquingKeysWith: { $1 })
    let lines = request.headers.map { LuaValue.list([.string($0.name), .bytes($0.value)]) }
    var fields: [(String, LuaValue)] = [
      ("method", .string(request.method)), ("path", .string(request.path)),
      ("url", .string(site.url + request.target)),
      ("params", .map(values.map { ($0.key, $0.value.luaValue) })),
      ("query", .map(query.map { ($0.key, $0.value) })), ("headers", .map(headers)),
      ("lines", .list(lines)), ("body", .bytes(request.body)),
    ]
    if let call { fields.append(("call", .string(call.name))) }
    if let other = site.otherURL { fields.append(("other_origin", .string(other))) }
    return .map(fields)
  }
}

/// A response body that a function produces piece by piece.
final class MockStream {
  private let number: Int64
  private let handlers: MockHandlers
  private let place: String

  fileprivate init(_ number: Int64, _ handlers: MockHandlers, _ place: String) {
    self.number = number
    self.handlers = handlers
    self.place = "body of " + place
  }

  /// Calls the function for the next piece. `completion` is called once, immediately or later.
  func next(_ completion: @escaping (MockPiece) -> Void) {
    let callbacks = handlers.callbacks
    callbacks.call(handlers.nextPiece, [.int(number)], as: place) { [place] end in
      switch end {
      case .failed(let failure):
        callbacks.report(failure, in: place)
        completion(.cut)
      case .finished(let results):
        do throws(Misuse) {
          completion(try MockPiece(returned: results))
        } catch {
          callbacks.report(ScriptFailure(message: error.text), in: place)
          completion(.cut)
        }
      }
    }
  }

  /// Called once, when the body has been sent or the client has disconnected.
  func close() {
    let callbacks = handlers.callbacks
    callbacks.call(handlers.close, [.int(number)], as: place) { [place] end in
      if case .failed(let failure) = end { callbacks.report(failure, in: place) }
    }
  }
}

/// The Lua files that are part of the program.
enum ShippedLua {
  static var sample: [UInt8] { bytes(clull_mock_sample) }
  static var handlers: [UInt8] { bytes(clull_mock_handlers) }

  private static func bytes(
    _ file: (UnsafeMutablePointer<Int>?) -> UnsafePointer<UInt8>?
  ) -> [UInt8] {
    var count = 0
    let start = file(&count)
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
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
