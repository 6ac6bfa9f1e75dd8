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
        throw raise(error, core)
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
      throw raise(error, core)
    }
    let place = call.place.map { "\($0): " } ?? ""
    try call.waits.wait(call, for: self.name) { completion in
      let task = core.spawn {
        do {
          let results = try await body(values)
          completion(try core.encode(results), false)
        } catch {
          completion([Self.raised(error, core, place: place)], true)
        }
      }
      return { task?.cancel() }
    }
  }

  private func raise(_ error: any Error, _ core: RuntimeCore) -> Misuse {
    switch error {
    case is RequestError: .value(Self.raised(error, core, place: ""))
    case let error as LuaError where error.requestError != nil:
      .value(Self.raised(error, core, place: ""))
    default: .message(Self.text(of: error))
    }
  }

  /// What Lua code gets of an error: one of a request as it is, anything else as a text.
  private static func raised(_ error: any Error, _ core: RuntimeCore, place: String) -> LuaValue {
    if let error = error as? RequestError { return core.host.values.of(error, service: nil) }
    if let error = (error as? LuaError)?.requestError {
      return core.host.values.of(error, service: nil)
    }
    return .string(place + text(of: error))
  }

  private static func text(of error: any Error) -> String {
    (error as? LuaError)?.message ?? String(describing: error)
  }
}
