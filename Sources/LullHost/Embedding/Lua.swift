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
