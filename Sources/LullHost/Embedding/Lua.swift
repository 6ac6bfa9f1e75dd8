public import LullCore
import LullSystem

/// A Lua interpreter inside a Swift program. Lua code in it uses all of Lull as the module `lull`.
///
/// A runtime belongs to a home. Lua code runs on the home's thread, and while it waits for a
/// request the event loop continues. Swift runs source code and files, passes values and functions
/// to Lua, and calls Lua functions. Services, resources and requests are the same objects in Lua
/// and in Swift.
///
///     try Lull.run { home in
///       let lua = try Lua(home, limits: .init(memory: 64 << 20, seconds: 1))
///       try lua.set("api", Service(baseURL: "https://api.example.com"))
///       try lua.set("greet") { (name: String) in "hello \(name)" }
///       let length: Int = try await lua.run("return #greet('Ann')")
///     }
///
/// A runtime is open until `close()` is called, the last reference to this object goes away, or its
/// home ends, whichever happens first. Then everything that its Lua code has begun is cancelled,
/// pending and later calls fail with `LuaError.Kind.closed`, and the Swift functions passed to it
/// are released. Several runtimes may share one home, but a service can be shared with only one of
/// them.
///
/// Home thread only: using it on another thread ends the program with a message.
public final class Lua {
  private var made: RuntimeCore?
  /// The arguments for the implementation until it is created, which happens on the home at first
  /// use.
  private var plan: Plan?

  /// Creates a runtime on a home.
  ///
  /// - Parameters:
  ///   - home: the home whose thread, clock and network the runtime uses: a `Home`, or a `LullTest`
  ///     in a test.
  ///   - limits: the resource limits for its code.
  ///   - access: the parts of the library and the machine it may use; the sandbox by default.
  /// - Throws: `memoryLimit` if there is not enough memory for it, `misuse` for invalid limits.
  public init(
    _ home: isolated some ServiceHome, limits: Limits = .none, access: Access = .sandbox
  ) throws(LuaError) {
    made = try RuntimeCore(home, limits: limits, access: access)
  }

  /// Creates a runtime on a pump that is not driven by a home. Such a runtime can't have
  /// asynchronous functions.
  ///
  /// - Parameter networking: the network of services that Lua code creates.
  /// - Throws: `memoryLimit` if there is not enough memory for it, `misuse` for invalid limits.
  public init(
    pump: Pump, networking: any NetworkingProvider, limits: Limits = .none,
    access: Access = .sandbox
  ) throws(LuaError) {
    made = try RuntimeCore(
      PumpEnvironment(pump, networking), home: nil, limits: limits, access: access)
  }

  /// Creates a runtime for a home from any thread, such as for an actor that owns the runtime and
  /// whose executor is the home's:
  ///
  ///     actor Plugins {
  ///       private let home: any ServiceHome
  ///       private let lua: Lua
  ///       nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
  ///
  ///       init(home: any ServiceHome) throws {
  ///         self.home = home
  ///         lua = try Lua(on: home, limits: .init(seconds: 1))
  ///       }
  ///
  ///       isolated deinit {}
  ///
  ///       func run(_ text: String) async throws -> Int { try await lua.run(text) }
  ///     }
  ///
  /// The interpreter is created on the home at first use. That use throws `memoryLimit` if there is
  /// not enough memory for it, and `closed` if the home has ended. In an actor without the home's
  /// executor the first use ends the program with a message. The parameters are those of
  /// `init(_:limits:access:)`.
  ///
  /// - Throws: `misuse` for invalid limits.
  public init(
    on home: any ServiceHome, limits: Limits = .none, access: Access = .sandbox
  ) throws(LuaError) {
    try limits.check()
    plan = Plan(home: home, limits: limits, access: access)
  }

  private struct Plan {
    let home: any ServiceHome
    let limits: Limits
    let access: Access

    func make() throws(LuaError) -> RuntimeCore { try make(on: home) }

    private func make(on home: some ServiceHome) throws(LuaError) -> RuntimeCore {
      let pump = home.surroundings.context.pump
      guard !pump.isClosed else { throw .closed }
      // The thread is checked here, because otherwise the standard library would end the program
      // with a message about executors.
      guard pump.isOnThread else {
        ProgramMisuse.stop(
          """
          a runtime of Lua(on: home) was used outside its home: keep it in an actor whose \
          unownedExecutor is home.unownedExecutor, or make it with Lua(home) inside home.perform
          """)
      }
      // The result is created on this thread and stays on it.
      let made = home.assumeIsolated { home in
        HandedOver(
          Swift.Result { () throws(LuaError) in
            guard !home.surroundings.context.pump.isClosed else { throw .closed }
            return try RuntimeCore(home, limits: limits, access: access)
          })
      }
      return try made.value.get()
    }
  }

  /// The implementation, created on first use.
  var core: RuntimeCore {
    get throws(LuaError) {
      if let made { return made }
      guard let plan else { throw .closed }
      let core = try plan.make()
      made = core
      self.plan = nil
      if onError != nil { core.setProgram(onError) }
      return core
    }
  }

  deinit { made?.closeSoon() }

  /// Whether the runtime was closed.
  public var isClosed: Bool { made?.isClosing ?? (plan == nil) }

  /// A function that receives the errors that no other code receives: errors in observers, in
  /// hooks, and in tasks that are not awaited, unless a handler of `lull.on_error` returned true.
  /// The second argument describes the place, such as `observer of /users/7`.
  ///
  /// If it is nil, the default, these errors are written to standard error. The function may not
  /// throw. Calls that it makes into this runtime are ordinary calls.
  public var onError: ((_ error: LuaError, _ place: String) -> Void)? {
    didSet { made?.setProgram(onError) }
  }

  /// Closes the runtime and cancels everything that its Lua code has begun. This happens
  /// immediately, or in the next turn if this method is called from inside a call into the runtime.
  /// Closing twice has no effect.
  public func close() {
    plan = nil
    made?.requireThread()
    made?.close()
  }
}

extension Lua {
  /// Returns the table of globals, `_G`.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func globals() throws(LuaError) -> Table {
    let core = try core
    return try .first(of: core.callNow(core.helpers().globals, []))
  }

  /// Returns the value of a global variable.
  ///
  ///     let handler: Lua.Function = try lua.get("handler")
  ///
  /// - Throws: `mismatch` if the value does not convert to `Global`. The value of a global that is
  ///   not set is `nil`, which converts only to an optional type.
  public func get<Global: LuaDecodable>(_ name: String) throws(LuaError) -> Global {
    try globals().get(name)
  }

  /// Sets a global variable. Setting it to `nil` removes it.
  ///
  /// - Throws: `mismatch` if the value does not convert to Lua; `runtime` if a metamethod of the
  ///   globals table raises an error; `closed`, `memoryLimit`.
  public func set(_ name: String, _ value: some LuaEncodable) throws(LuaError) {
    try globals().set(name, value)
  }

  /// Creates an empty table.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func makeTable() throws(LuaError) -> Table {
    let core = try core
    let values = try core.callNow(core.helpers().same, [.map([])])
    return try .first(of: values)
  }
}

extension Lua {
  /// Keeps a Lua value alive for Swift as long as this object exists.
  ///
  /// It does not keep the runtime open, and can't be used after the runtime is closed. When the
  /// object is freed, Lua releases the value with the next call or turn. Home thread only.
  public final class Reference {
    let core: RuntimeCore
    let id: Int64
    /// The name of the value's type, as in Lua's messages.
    public let typeName: String

    init(_ core: RuntimeCore, _ id: Int64, typeName: String) {
      self.core = core
      self.id = id
      self.typeName = typeName
    }

    // A `deinit` must not call into the runtime, so the release is queued.
    deinit { core.host.stored.released.addPin(id) }
  }
}

extension Lua.Value: CustomStringConvertible {
  /// The value as Lua source code, with anything that looks like a credential removed: `nil`, `3`,
  /// `"tea"`, `{"a", {n = 1}}`. (EMB-160)
  ///
  /// Tables and functions are shown as their type name, because reading a table may run Lua code.
  /// Bytes are shown as their count, and Lull objects describe themselves. Home thread only.
  public var description: String {
    switch self {
    case .nil: "nil"
    case .null: "lull.null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): Self.quoted(CredentialMask.text(CredentialMask.body(text)))
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .list(let elements): "{" + elements.map(\.description).joined(separator: ", ") + "}"
    case .map(let fields): "{" + fields.map(Self.field).joined(separator: ", ") + "}"
    case .table, .function: typeName
    case .service(let service): service.description
    case .resource(let resource): resource.description
    case .request(let request): request.description
    case .entity(let entity): entity.description
    case .error(let error): error.description
    case .swiftError(let error): String(describing: error)
    case .other(let reference): reference.typeName
    }
  }

  private static func field(_ field: (key: Lua.Value, value: Lua.Value)) -> String {
    guard case .string(let name) = field.key else { return "[\(field.key)] = \(field.value)" }
    let value: Lua.Value =
      CredentialName.names(name) ? .string(CredentialMask.mark) : field.value
    return (isName(name) ? name : "[\(quoted(name))]") + " = \(value)"
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "_"): true
      default: false
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      default:
        let isControl = scalar.properties.generalCategory == .control
        quoted += isControl ? "\\\(scalar.value)" : String(scalar)
      }
    }
    return quoted + "\""
  }
}
