import LullLibC

/// The command `lull` as a process of its own: what stands in its environment nobody else sees, and
/// a process that has threads cannot change its own safely.
enum Command {
  struct Failure: Error {
    let description: String
  }

  /// What one GET comes to: `STATUS BODY`, `STATUS` of an error status, or `KIND: MESSAGE`.
  static func get(_ url: String, timeout: Double = 10, environment: [String: String]) throws
    -> String
  {
    let words = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
    guard let directory = TemporaryDirectory() else { throw Failure(description: "no directory") }
    defer { directory.remove() }
    directory.write("script.lua", script.utf8)
    let path = directory.path
    let command =
      "env -i \(words) \(lull) \(path)/script.lua '\(url)' \(timeout) >\(path)/out 2>&1 </dev/null"
    let code = ChildProcess(command)?.wait()
    let output = String(decoding: contents(path + "/out") ?? [], as: UTF8.self)
    guard code == 0 else { throw Failure(description: "exit \(code ?? -1): \(output)") }
    return output
  }

  private static let script = """
    local lull = require "lull"
    local url, timeout = ...
    local base, path = url:match "^(%a+://[^/]+)(.*)$"
    local api = lull.service { base_url = base, timeout = tonumber(timeout) }
    local entity, err = api:resource(path):load():await()
    if entity then
      io.write(entity.http_status, " ", tostring(entity.content))
    elseif err.http_status then
      io.write(err.http_status)
    else
      io.write(err.cause.kind, ": ", err.cause.message)
    end
    """

  /// LULL_TEST_BIN, else the debug build of this checkout, has it.
  private static var lull: String {
    // Read before any test runs something else; the environment is changed by nobody.
    if let folder = getenv("LULL_TEST_BIN") { return String(cString: folder) + "/lull" }
    var root = #filePath[...]
    // Tests/LullTransportTests/Support/Command.swift
    for _ in 0..<4 { root = root[..<(root.lastIndex(of: "/") ?? root.startIndex)] }
    return root + "/.build/debug/lull"
  }
}
