import LullLibC
import Testing

@Suite("What require finds", .timeLimit(.minutes(20)))
struct ModuleSearchTests {
  @Test func `looks beside the script first`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("app/main.lua", "print((require('part')), (require('sub.part')))")
    try folder.write("app/part.lua", "return 'beside'")
    try folder.write("app/sub/part/init.lua", "return 'beneath'")
    try folder.write("else/part.lua", "return 'elsewhere'")
    try folder.write("part.lua", "return 'working directory'")
    let ending = try lull(
      file, environment: ["LUA_PATH": folder.path + "/else/?.lua;;"], folder: folder.path)
    #expect(ending.output == "beside\tbeneath\n")
    #expect(ending.errors == "")
  }

  @Test func `looks beside a script named without folder`() throws {
    let folder = try TemporaryFolder()
    try folder.write("main.lua", "print((require('part')))")
    try folder.write("part.lua", "return 'beside'")
    try folder.write("else/part.lua", "return 'elsewhere'")
    let ending = try lull(
      "main.lua", environment: ["LUA_PATH": folder.path + "/else/?.lua"], folder: folder.path)
    #expect(ending.output == "beside\n")
  }

  @Test func `looks where the environment says besides`() throws {
    let folder = try TemporaryFolder()
    try folder.write("else/part.lua", "return 'elsewhere'")
    let ending = try lull(
      "-e", "print((require('part')))", environment: ["LUA_PATH": folder.path + "/else/?.lua;;"])
    #expect(ending.output == "elsewhere\n")
  }

  @Test func `names the places where a module is not`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("main.lua", "require 'missing'")
    let ending = try lull(file)
    #expect(ending.errors.contains("main.lua:1: module 'missing' not found:"))
    #expect(ending.errors.contains("no file '\(folder.path)/missing.lua'"))
    #expect(ending.code == 1)
  }

  @Test(
    .enabled(if: hasModule("cjson"), "the Debian package lua-cjson is not installed"))
  func `loads cjson`() throws {
    let ending = try lull("-e", "print(require('cjson').encode({ 1, 2, { a = true } }))")
    #expect(ending.output == #"[1,2,{"a":true}]"# + "\n")
    #expect(ending.errors == "")
  }

  @Test(.enabled(if: hasModule("lpeg"), "the Debian package lua-lpeg is not installed"))
  func `loads lpeg`() throws {
    let ending = try lull(
      "-e", "local l = require 'lpeg'; print(l.match(l.C(l.R'az'^1), 'lull!'))")
    #expect(ending.output == "lull\n")
    #expect(ending.errors == "")
  }

  private static func hasModule(_ name: String) -> Bool {
    [
      "/usr/lib/x86_64-linux-gnu/lua/5.4", "/usr/lib/aarch64-linux-gnu/lua/5.4",
      "/usr/local/lib/lua/5.4",
    ].contains { access($0 + "/" + name + ".so", R_OK) == 0 }
  }
}
