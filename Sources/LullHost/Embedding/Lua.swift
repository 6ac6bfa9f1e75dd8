public import LullCore
import LullSystem

/// A Lua interpreter inside a Swift program, with the whole of Lull in it as `lull`.
///
/// It lives on a home: Lua code runs on the home's thread, and while it waits for a request the loop goes
/// on. Swift runs texts and files, gives Lua values and functions, and calls functions of Lua; services,
/// resources and requests are the same objects on both sides.
///
///     try Lull.run { home in
///       let lua = try Lua(home, limits: .init(memory: 64 << 20, seconds: 1))
///       try lua.set("api", Service(baseURL: "https://api.example.com"))
///       try lua.set("greet") { (name: String) in "hello \(name)" }
///       let length: Int = try await lua.run("return #greet('Ann')")
///     }
///
/// It is open until `close()`, until the last reference to this object goes, or until its home ends,
/// whichever is first: then what its code has begun is cancelled, calls under way and all later ones fail
/// with `LuaError.Kind.closed`, and Swift functions it was given are let go of. Several may live on one
/// home; a service is shared with one of them. Used on its home's thread only: elsewhere it ends the
/// program with a message.
public final class Lua {
  private var made: RuntimeCore?
  /// Of one that is made on its home when it is first used.
  private var plan: Plan?

  /// Makes a runtime on a home.
  ///
  /// - Parameters:
  ///   - home: whose thread, clock and network it uses: a `Home`, or in a test the `LullTest`.
  ///   - limits: how much its code may take.
  ///   - access: what its code may do; the sandbox unless you say otherwise.
  /// - Throws: `memoryLimit` if there is no memory for it, `misuse` for limits that are none.
  public init(
    _ home: isolated some ServiceHome, limits: Limits = .none, access: Access = .sandbox
  ) throws(LuaError) {
    made = try RuntimeCore(home, limits: limits, access: access)
  }

  /// The same on a pump that something else than a home drives: its functions for Lua cannot be
  /// asynchronous ones.
  ///
  /// - Parameter networking: what services use that Lua code makes.
  /// - Throws: `memoryLimit` if there is no memory for it, `misuse` for limits that are none.
  public init(
    pump: Pump, networking: any NetworkingProvider, limits: Limits = .none,
    access: Access = .sandbox
  ) throws(LuaError) {
    made = try RuntimeCore(
      PumpEnvironment(pump, networking), home: nil, limits: limits, access: access)
  }

  /// Makes a runtime of a home on any thread, as for an actor that keeps it and whose executor is the
  /// home's:
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
  /// The interpreter is made when it is first used, on the home; that throws `memoryLimit` if there is no
  /// memory for it, and `closed` if the home has ended. In an actor without the home's executor its first
  /// use ends the program with a message. Otherwise as above.
  ///
  /// - Throws: `misuse` for limits that are none.
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
      // Before the standard library ends the program, with a sentence about executors.
      guard pump.isOnThread else {
        ProgramMisuse.stop(
          """
          a runtime of Lua(on: home) was used outside of its home: keep it in an actor whose \
          unownedExecutor is home.unownedExecutor, or make it by Lua(home) inside home.perform
          """)
      }
      // What is made here stays on this thread.
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

  /// What it consists of.
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

  /// Whether it was closed.
  public var isClosed: Bool { made?.isClosing ?? (plan == nil) }

  /// What is told of errors that go nowhere else, with the place in words, such as `observer of /users/7`:
  /// those of observers, hooks, and tasks that nobody awaits, as far as no handler of `lull.on_error` has
  /// returned true. nil, as at first: they are written to standard error. It may not throw; what it calls
  /// in this runtime is a call like any other.
  public var onError: ((_ error: LuaError, _ place: String) -> Void)? {
    didSet { made?.setProgram(onError) }
  }

  /// Cancels what its code has begun, and ends it: at once, or, inside a call of its own, with the next
  /// turn. Closing twice does nothing.
  public func close() {
    plan = nil
    made?.requireThread()
    made?.close()
  }
}

extension Lua {
  /// The table of globals, `_G`.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func globals() throws(LuaError) -> Table {
    let core = try core
    return try .first(of: core.callNow(core.helpers().globals, []))
  }

  /// The global of that name.
  ///
  ///     let handler: Lua.Function = try lua.get("handler")
  ///
  /// - Throws: `mismatch` if it is no `Global`; a global that is not set is `nil`, which an optional type
  ///   takes.
  public func get<Global: LuaDecodable>(_ name: String) throws(LuaError) -> Global {
    try globals().get(name)
  }

  /// Sets the global of that name; `nil` takes it away.
  ///
  /// - Throws: `mismatch` if the value has no form in Lua, `runtime` what a metatable of the globals raises; `closed`,
  ///   `memoryLimit`.
  public func set(_ name: String, _ value: some LuaEncodable) throws(LuaError) {
    try globals().set(name, value)
  }

  /// A new, empty table.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func makeTable() throws(LuaError) -> Table {
    let core = try core
    let values = try core.callNow(core.helpers().same, [.map([])])
    return try .first(of: values)
  }
}

extension Lua {
  /// Something that is in Lua and that Swift holds: it stays there as long as this object does.
  ///
  /// It does not keep the runtime open; of one that was closed it is worth nothing. Letting go of it takes
  /// effect with the next call or turn. Home thread only.
  public final class Reference {
    let core: RuntimeCore
    let id: Int64
    /// The word for its type, as Lua's messages have it.
    public let typeName: String

    init(_ core: RuntimeCore, _ id: Int64, typeName: String) {
      self.core = core
      self.id = id
      self.typeName = typeName
    }

    // Nothing is called across from here.
    deinit { core.host.stored.released.addPin(id) }
  }
}

extension Lua.Value: CustomStringConvertible {
  /// The value as Lua code would write it, without what looks like a credential: `nil`, `3`, `"tea"`,
  /// `{"a", {n = 1}}`. (EMB-160)
  ///
  /// A table and a function are their word for the type, since reading a table may run code of Lua's; bytes are
  /// their number, objects of Lull's describe themselves. Home thread only.
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
