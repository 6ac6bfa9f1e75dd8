public import LullCore
public import LullTransport

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
  let core: RuntimeCore

  /// Makes a runtime on a home.
  ///
  /// - Parameters:
  ///   - home: whose thread, loop and network it uses.
  ///   - limits: how much its code may take.
  ///   - access: what its code may do; the sandbox unless you say otherwise.
  /// - Throws: `memoryLimit` if there is no memory for it, `misuse` for limits that are none.
  public init(
    _ home: isolated Home, limits: Limits = .none, access: Access = .sandbox
  ) throws(LuaError) {
    core = try RuntimeCore(
      PumpEnvironment(home.pump, home.networking), home: home, limits: limits, access: access)
  }

  /// The same on a pump that something else than a `Home` drives: its functions for Lua cannot be
  /// asynchronous ones.
  ///
  /// - Parameter networking: what services use that Lua code makes.
  public init(
    pump: Pump, networking: any NetworkingProvider, limits: Limits = .none,
    access: Access = .sandbox
  ) throws(LuaError) {
    core = try RuntimeCore(
      PumpEnvironment(pump, networking), home: nil, limits: limits, access: access)
  }

  deinit { core.closeSoon() }

  /// Whether it was closed.
  public var isClosed: Bool { core.isClosing }

  /// What is told of errors that go nowhere else, with the place in words, such as `observer of /users/7`:
  /// those of observers, hooks, and tasks that nobody awaits, as far as no handler of `lull.on_error` has
  /// returned true. nil, as at first: they are written to standard error. It may not throw; what it calls
  /// in this runtime is a call like any other.
  public var onError: ((_ error: LuaError, _ place: String) -> Void)? {
    didSet { core.setProgram(onError) }
  }

  /// Cancels what its code has begun, and ends it: at once, or, inside a call of its own, with the next
  /// turn. Closing twice does nothing.
  public func close() {
    core.requireThread()
    core.close()
  }
}
