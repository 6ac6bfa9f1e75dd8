import CLullBridge
import LullCore
import LullTransport

/// A Swift closure that Lua code can call.
final class SwiftFunction {
  typealias Body = ([Lua.Value]) throws -> [Lua.Value]
  typealias WaitingBody = nonisolated(nonsending) ([Lua.Value]) async throws -> [Lua.Value]

  private enum Kind {
    case answering(Body)
    case waiting(WaitingBody)
  }

  private let kind: Kind
  /// The name of the function in error messages.
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
    // Argument 0 is self, the object to which the function is bound.
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
    try call.loop.wait(call, for: self.name) { completion in
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
    // The code that calls this function adds the place and the function's name to these messages.
    case .mismatch, .misuse: .message(Self.text(of: error))
    default: .value(Self.raised(error, core, place: Self.place(of: call)))
    }
  }

  /// Returns the Lua value to raise for an error. For a request error, it is the unchanged error.
  /// For a Lua error, it is the value that Lua code raised. Any other error is wrapped in an
  /// object. If the message of the error has no place, it is preceded by `place`.
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
      // These errors are misuse by the program, such as an argument that does not convert. So the
      // place of such an error is the line that makes this call.
      case .mismatch, .misuse: return .string(place + error.message)
      // The error is wrapped in an object, so that the error has the same kind when it leaves the
      // surrounding Lua code. (EMB-161)
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

/// Makes Swift closures callable from Lua.
///
/// In Lua, each closure is a function bound to an object, and the object holds the closure. After
/// the garbage collector has freed the function, the next sweep releases the closure. An error that
/// a closure throws is also represented by an object in Lua.
final class SwiftFunctions: HostExtension {
  static let unseen: [APIOwner] = [
    .unseen(
      .swiftFunction,
      hidden: [
        .hidden("call") { call throws(Misuse) in
          guard let core = call.part(SwiftFunctions.self).core else { return }
          try call.selfObject(.swiftFunction, as: SwiftFunction.self).run(call, core)
        }
      ]),
    .object(
      .swiftError, receiver: "error", "An error thrown by a Swift function.",
      entries: [
        .property("message", "string", "The message of the error.") { call throws(Misuse) in
          call.return(.string(try error(call).message))
        },
        .property("type", "string", "The Swift type of the error.") { call throws(Misuse) in
          call.return(.string(try error(call).typeName))
        },
      ],
      hidden: [
        .hidden("__tostring") { call throws(Misuse) in
          call.return(.string(try error(call).text))
        }
      ]),
  ]

  private static func error(_ call: Call) throws(Misuse) -> SwiftErrorBox {
    try call.selfObject(.swiftError, as: SwiftErrorBox.self)
  }

  static let functions: [APIEntry] = []
  static let types: [APIOwner] = []

  /// The index of the bridge's method that calls a Swift function.
  static let method = LuaLibrary.embedded.index(.swiftFunction, "call")

  weak var core: RuntimeCore?

  init(_ host: LuaHost) {}

  func close() { core = nil }
}

extension LuaLibrary {
  /// The Lua library of runtimes that are embedded in a Swift program.
  static let embedded = LuaLibrary([SwiftFunctions.self])
}

/// A Swift error that Lua code holds: an error that a closure threw, or an error that passes
/// through Lua code.
final class SwiftErrorBox {
  let error: any Error
  /// The line of Lua code that called the closure, followed by a colon and a space. The text is
  /// empty if no Lua line called the closure.
  private let place: String

  init(_ error: any Error, place: String) {
    self.error = error
    self.place = place
  }

  /// The error's message without its place.
  var message: String { String(describing: error) }

  /// The message with the place in front, as in Lua's own messages.
  var text: String { place + message }

  var typeName: String { String(describing: type(of: error)) }
}

/// Converts the arguments of one call, in order, to Swift values.
struct ArgumentReader {
  private let arguments: [Lua.Value]
  private var position = 0

  /// Reads all arguments of a call as parameters of the given types. Throws if a required argument
  /// is missing or there are too many.
  static func read<each Parameter: LuaDecodable>(
    _ arguments: [Lua.Value], _ types: repeat (each Parameter).Type
  ) throws(LuaError) -> (repeat each Parameter) {
    var reader = ArgumentReader(arguments: arguments)
    let parameters = (repeat try reader.next(each types))
    try reader.end()
    return parameters
  }

  private init(arguments: [Lua.Value]) { self.arguments = arguments }

  /// Reads the next argument as a parameter type. If no arguments are left, it reads the value
  /// `nil`.
  private mutating func next<Parameter: LuaDecodable>(
    _ type: Parameter.Type
  ) throws(LuaError) -> Parameter {
    position += 1
    let isGiven = position <= arguments.count
    do throws(LuaError) {
      return try Parameter.from(lua: isGiven ? arguments[position - 1] : .nil)
    } catch {
      let problem =
        isGiven ? error.message : error.message.replacing("got nil", with: "got no value")
      throw .mismatch("bad argument #\(position) (\(problem))")
    }
  }

  /// Throws if the call has more arguments than have been read.
  private func end() throws(LuaError) {
    guard arguments.count > position else { return }
    throw .mismatch("too many arguments (\(position) expected, got \(arguments.count))")
  }
}
