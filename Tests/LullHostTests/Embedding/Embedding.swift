import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// A runtime on a home of its own, with a network of stubs.
enum Embedding {
  static func run(
    limits: Lua.Limits = .none, access: Lua.Access = .sandbox,
    _ body: @escaping @Sendable (_ lua: Lua, _ stubs: Stubs) async throws -> Void
  ) throws {
    try Lull.run { home in
      let lua = try Lua(home, limits: limits, access: access)
      try await body(lua, Stubs(home))
    }
  }

  /// A service that answers itself, on the home of the test.
  final class Stubs {
    let home: Home
    let provider = StubProvider()
    let api: Service

    init(_ home: isolated Home) {
      self.home = home
      api = Service(
        baseURL: "https://api.test", name: "stubs", networking: provider, pump: home.pump)
      provider.stub("GET", "https://api.test/a", .json(#"{"n": 1, "list": [1, 2]}"#))
      provider.stub("GET", "https://api.test/gone", .json(#"{"message": "gone"}"#, status: 404))
    }

    /// One more service like it.
    func other(_ home: isolated Home) -> Service {
      Service(baseURL: "https://api.test", networking: provider, pump: home.pump)
    }
  }

  /// The error that a body throws.
  static func error(_ body: () async throws -> Void) async -> LuaError? {
    do {
      try await body()
    } catch {
      return error as? LuaError
    }
    return nil
  }

  /// The same of one that does not wait.
  static func errorNow(_ body: () throws -> Void) -> LuaError? {
    do {
      try body()
    } catch {
      return error as? LuaError
    }
    return nil
  }
}
