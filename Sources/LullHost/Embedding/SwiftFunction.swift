import CLullBridge
import LullCore
import LullTransport

/// A closure of Swift's that Lua code can call.
final class SwiftFunction {
  typealias Body = ([Lua.Value]) throws -> [Lua.Value]
  typealias WaitingBody = nonisolated(nonsending) ([Lua.Value]) async throws -> [Lua.Value]

  private enum Kind {
    case answering(Body)
    case waiting(WaitingBody)
  }

  private let kind: Kind
  /// As messages name it.
  private let name: String

  init(_ name: String, _ body: @escaping Body) {
    self.name = name
    kind = .answering(body)
  }

  init(waiting name: String, _ body: @escaping WaitingBody) {
    self.name = name
    kind = .waiting(body)
  }

  var waits: Bool { if case .waiting = kind { true } else { false } }

  func run(_ call: Call, _ core: RuntimeCore) throws(Misuse) {
    switch kind {
    case .answering(let body):
      let values: [LuaValue]
      do {
        values = try core.encode(body(try arguments(call, core)))
      } catch {
        throw raise(error, core, call)
      }
      call.return(.spread(values))
    case .waiting(let body): try wait(call, core, body)
    }
  }

  private func arguments(_ call: Call, _ core: RuntimeCore) throws(LuaError) -> [Lua.Value] {
    var values: [Lua.Value] = []
    // Self comes first.
    for position in 1..<max(1, call.count) {
      values.append(try core.read(at: call.index(position), in: call.state))
    }
    return values
  }

  private func wait(_ call: Call, _ core: RuntimeCore, _ body: @escaping WaitingBody)
    throws(Misuse)
  {
    let values: [Lua.Value]
    do {
      values = try arguments(call, core)
    } catch {
      throw raise(error, core, call)
    }
    let place = Self.place(of: call)
    try call.waits.wait(call, for: self.name) { completion in
      let origin = core.stretch(for: call.coroutines.innermost)
      let task = core.spawn {
        do {
          let results = try await ContinuedStretch.Origin.$current.withValue(origin) {
            try await body(values)
          }
          completion(try core.encode(results), false)
        } catch {
          completion([Self.raised(error, core, place: place)], true)
        }
      }
      return { task?.cancel() }
    }
  }

  private func raise(_ error: any Error, _ core: RuntimeCore, _ call: Call) -> Misuse {
    switch (error as? LuaError)?.kind {
    // The call names itself in these.
    case .mismatch, .misuse: .message(Self.text(of: error))
    default: .value(Self.raised(error, core, place: Self.place(of: call)))
    }
  }

  /// What Lua code gets of an error: one of a request as it is, what went wrong in Lua as what was raised
  /// there, anything else as an object that holds it. The place is put before what has none of its own.
  private static func raised(
    _ error: any Error, _ core: RuntimeCore, place: String
  ) -> LuaValue {
    let values = core.host.values
    switch error {
    case let error as RequestError: return values.of(error, service: nil)
    case let error as LuaError:
      if let error = error.requestError { return values.of(error, service: nil) }
      if let thrown = error.thrown {
        return values.of(SwiftErrorBox(thrown, place: place), .swiftError)
      }
      switch error.kind {
      case .runtime:
        let raised = try? error.value?.luaValue()
        return raised.flatMap { try? core.encode($0) } ?? .string(error.message)
      // What the program has done wrong here: found at this call, by a conversion of an argument say.
      case .mismatch, .misuse: return .string(place + error.message)
      // Held, so that what comes out of the code around keeps the kind. (EMB-161)
      case .syntax, .unreadable, .timeLimit, .instructionLimit, .memoryLimit, .cancelled, .closed:
        return values.of(SwiftErrorBox(error, place: ""), .swiftError)
      }
    default: return values.of(SwiftErrorBox(error, place: place), .swiftError)
    }
  }

  private static func place(of call: Call) -> String { call.place.map { "\($0): " } ?? "" }

  private static func text(of error: any Error) -> String {
    (error as? LuaError)?.message ?? String(describing: error)
  }
}
