import LullCore
import LullHost
import LullTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A Swift program with plugins in Lua, which share its services.
///
///     lull demo &   # prints its address
///     cd Examples/swift-embed && swift run swift-embed http://127.0.0.1:PORT plugin.lua
@main
struct SwiftEmbed {
  static func main() {
    guard CommandLine.arguments.count == 3 else {
      print("usage: swift-embed BASE_URL PLUGIN")
      exit(2)
    }
    let baseURL = CommandLine.arguments[1]
    let path = CommandLine.arguments[2]
    do {
      // The body runs on this thread, which drives the event loop until it returns.
      try Lull.run { home in
        let two: Int = try await Lua(home).run("return 1 + 1")
        print("1 + 1 =", two)

        // In the sandbox: no files, no processes. No stretch of its code may take more than a second.
        let lua = try Lua(home, limits: .init(memory: 64 << 20, seconds: 1))
        let api = Service(baseURL: baseURL)
        try prepare(lua, api)
        let plugin: Lua.Table = try await lua.run(file: path)
        try await call(plugin, api)
        try await fail(plugin)
        try await share(lua)
      }
    } catch {
      print("failed:", error)
      exit(1)
    }
  }

  /// What the plugin is given: values, the program's service, and functions.
  static func prepare(_ lua: Lua, _ api: Service) throws {
    try lua.set("api", api)
    try lua.set("greet") { (name: String) in "hello \(name)" }
    // Lua code that calls an asynchronous one waits for it.
    try lua.set("pause") { (seconds: Double) async throws in
      try await Task.sleep(for: .seconds(seconds))
    }
    lua.onError = { error, place in print("in \(place):", error) }
  }

  /// A function of Lua's is called like one of Swift's, and may wait.
  static func call(_ plugin: Lua.Table, _ api: Service) async throws {
    let users: Lua.Function = try plugin.get("users")
    let greetings: [String] = try await users([1, 2, 3])
    print(greetings)
    // The plugin has loaded it: it is the same resource.
    print("known:", api.resource("/users/2").jsonDict["name"]?.string ?? "no")
    let observe: Lua.Function = try plugin.get("observe")
    try await observe()
    _ = try await api.resource("/users/1").load().entity()
  }

  /// Errors have a kind, a place and a traceback.
  static func fail(_ plugin: Lua.Table) async throws {
    for name in ["missing", "fail", "forever"] {
      let function: Lua.Function = try plugin.get(name)
      do {
        try await function(["depth": 1])
      } catch {
        let place = error.place.map { "line \($0.line)" } ?? "no line"
        print("\(name): \(error.kind), \(place), status \(error.requestError?.httpStatusCode ?? 0)")
      }
    }
  }

  /// A service that a script has made comes to Swift with what it has configured.
  static func share(_ lua: Lua) async throws {
    let made: Service = try await lua.run(
      """
      local mine = lull.service(api.base_url)
      mine:configure(function(c) c.headers["X-Plugin"] = "yes" end)
      pause(0.001)
      return mine
      """)
    print(
      "made:", try await made.resource("/users/4").load().entity().jsonDict["name"]?.string ?? "")
    lua.close()
    print("closed:", lua.isClosed)
  }
}
