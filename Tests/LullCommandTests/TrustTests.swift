import LullLibC
import Testing

/// Which API files run as they are where they are only looked at.
@Suite("Trust in API files", .timeLimit(.minutes(20)))
struct TrustTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Leaves its mark if it is run as it is, and has a call for each of its modules.
  private static let main = """
    local lull = require "lull"
    pcall(function() os.execute("touch ran") end)
    local calls = { a = { path = "/x" } }
    calls[require "lib.name"] = { path = "/y" }
    return { service = lull.service("https://a.example"), calls = calls }
    """

  private func run(_ words: String..., in place: String = "", environment: [String: String] = [:])
    throws -> Child.Ending
  {
    var variables = [
      "XDG_CONFIG_HOME": folder.path + "/config", "XDG_STATE_HOME": folder.path + "/state",
    ]
    variables.merge(environment) { $1 }
    return try Child(
      Binaries.lull, words, environment: variables, folder: folder.path + "/" + place
    ).wait()
  }

  /// Whether a look at the API has run it as it is.
  private func hasRun(_ words: String..., name: String = "shop") throws -> Bool {
    unlink(folder.path + "/ran")
    for words in [["--complete", "call", name, ""], ["apis"], ["check", name]] {
      _ = try Child(
        Binaries.lull, words,
        environment: [
          "XDG_CONFIG_HOME": folder.path + "/config", "XDG_STATE_HOME": folder.path + "/state",
        ], folder: folder.path
      ).wait()
    }
    return access(folder.path + "/ran", F_OK) == 0
  }

  private func writeShop() throws {
    try folder.write("apis/shop.lua", TrustTests.main)
    try folder.write("apis/lib/name.lua", "return 'first'")
  }

  @Test func `TRUST-01 TRUST-02 files run as they are once they are trusted, and not before`()
    throws
  {
    try writeShop()
    #expect(try !hasRun())
    let trusted = try run("trust", "apis/shop.lua")
    #expect(trusted.output == "trusted: apis/shop.lua, and 1 file that it loads\n", "\(trusted)")
    #expect(trusted.errors == "")
    #expect(trusted.code == 0)
    #expect(try hasRun())
    #expect(try run("--complete", "call", "shop", "").output == "a\nfirst\n")
    let list = try run("apis")
    #expect(list.errors == "" && list.output.contains("shop  2"), "\(list)")
    #expect(try run("check", "shop").code == 0)
    #expect(try run("call", "shop", "--help").output.contains("first"))
    _ = try run("trust", "--remove", "apis/shop.lua")
    #expect(try !hasRun())
  }

  @Test func `TRUST-03 with any change of what is loaded the trust ends, and it is said`() throws {
    try writeShop()
    for (name, change, what) in [
      ("apis/shop.lua", TrustTests.main + "\n-- x", "has changed since it was trusted"),
      (
        "apis/lib/name.lua", "return 'second'",
        "loads 'apis/lib/name.lua', which has changed since it was trusted"
      ),
      (
        "apis/lib/name/init.lua", "return 'third'",
        "loads 'apis/lib/name/init.lua', which it did not load when it was trusted"
      ),
    ] {
      _ = try shell("rm -rf apis/lib", folder: folder.path)
      try writeShop()
      #expect(try run("trust", "apis").code == 0)
      #expect(try hasRun())
      if what.contains("did not") { unlink(folder.path + "/apis/lib/name.lua") }
      try folder.write(name, change)
      unlink(folder.path + "/ran")
      let note =
        "apis/shop.lua \(what): the file was inspected in the sandbox; 'lull trust apis/shop.lua' trusts "
        + "the file in its current state"
      let list = try run("apis")
      #expect(list.errors == "lull: \(note)\n", "\(list)")
      #expect(list.output.contains("shop  2"))
      let checked = try run("check", "shop")
      #expect(
        checked.output == note.replacing("shop.lua \(what)", with: "shop.lua: \(what)") + "\n",
        "\(checked)")
      #expect(checked.code == 0)
      #expect(try run("--complete", "call", "shop", "").output.hasPrefix("a\n"))
      if name == "apis/shop.lua" { #expect(try !hasRun()) }
      #expect(try run("trust", "apis/shop.lua").code == 0)
      #expect(try hasRun())
    }
  }

  /// A module that has changed is not run, whatever loads it and however its error is caught.
  @Test(arguments: [
    "pcall(require, 'lib.name')", "pcall(dofile, 'apis/lib/name.lua')",
    "pcall(function() loadfile('apis/lib/name.lua')() end)",
    "pcall(function() package.searchers[2]('lib.name')() end)",
    "pcall(function() lull.api('apis/lib/name.lua') end)",
    "coroutine.wrap(function() pcall(require, 'lib.name') end)()",
    "pcall(function() lull.service('https://a.example'):configure(function() require 'lib.name' end) end)",
  ])
  func `TRUST-04 what was changed is not run by any way of loading`(line: String) throws {
    try folder.write(
      "apis/shop.lua",
      "local lull = require 'lull'\n\(line)\nreturn lull.service('https://a.example')")
    try folder.write("apis/lib/name.lua", "return require('lull').service('https://b.example')")
    #expect(try run("trust", "apis/shop.lua").code == 0)
    try folder.write(
      "apis/lib/name.lua", "io.open('ran', 'w'):close() return require('lull').service('https://b')"
    )
    #expect(try !hasRun(), "\(line)")
  }

  /// A gap between what is judged and what runs would show here: the file has other bytes by turns.
  @Test func `TRUST-05 the bytes that are judged are those that run`() throws {
    try writeShop()
    #expect(try run("trust", "apis/shop.lua").code == 0)
    try folder.write("bad.lua", "io.open('pwned', 'w'):close()\n" + TrustTests.main)
    let script = """
      cp apis/shop.lua good.lua
      (while [ ! -e done ]; do cp good.lua t; mv t apis/shop.lua; cp bad.lua t; mv t apis/shop.lua
      done) & turns=$!
      for i in $(seq 40); do '\(Binaries.lull)' --complete call shop ''; done >/dev/null
      touch done; wait $turns
      """
    let ending = try shell(
      "unset XDG_CONFIG_HOME; export HOME=/nowhere XDG_STATE_HOME=\(folder.path)/state; " + script,
      folder: folder.path)
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
    // Now and then it was the trusted one.
    #expect(access(folder.path + "/ran", F_OK) == 0)
    #expect(access(folder.path + "/pwned", F_OK) != 0)
  }

  @Test func `TRUST-06 folders are all of their API files`() throws {
    try writeShop()
    try folder.write("apis/two.lua", "return require('lull').service('https://a.example')")
    try folder.write("apis/util.lua", "return { a = 1 }")
    try folder.write("apis/bad.lua", "return 17")
    let trusted = try run("trust", "apis")
    #expect(
      trusted.output
        == "trusted: apis/shop.lua, and 1 file that it loads\ntrusted: apis/two.lua\n")
    #expect(trusted.errors.hasPrefix("lull: apis/bad.lua:1: an API file returns a service"))
    #expect(trusted.code == 1)
    unlink(folder.path + "/apis/bad.lua")
    #expect(try run("trust").output == trusted.output)
    #expect(try run("trust", ".").output == trusted.output.replacing("apis/", with: "./apis/"))
    let list = try run("trust", "--list", "-o", "csv")
    #expect(
      list.output == """
        path,loads,state
        \(folder.path)/apis/shop.lua,1,trusted
        \(folder.path)/apis/two.lua,0,trusted

        """)
    try folder.write("apis/lib/name.lua", "return 'other'")
    unlink(folder.path + "/apis/two.lua")
    let changed = try run("trust", "--list", "-o", "csv")
    #expect(
      changed.output == """
        path,loads,state
        \(folder.path)/apis/shop.lua,1,changed: \(folder.path)/apis/lib/name.lua
        \(folder.path)/apis/two.lua,0,gone: \(folder.path)/apis/two.lua

        """)
    let removed = try run("trust", "--remove", "apis/two.lua")
    #expect(removed.output == "no longer trusted: \(folder.path)/apis/two.lua\n", "\(removed)")
    _ = try shell("rm -r apis", folder: folder.path)
    #expect(try run("trust", "--remove", "apis").code == 0)
    let none = try run("trust", "--list", "-o", "json")
    #expect(none.output == "[]\n")
    #expect(none.errors == "lull: nothing is trusted\n")
    let again = try run("trust", "--remove", "apis")
    #expect(again.errors == "lull: 'apis' has no trusted files\n")
    #expect(again.code == 1)
  }

  @Test func `TRUST-07 the record is for its owner alone, and nobody else's is used`() throws {
    try writeShop()
    #expect(try run("trust", "apis/shop.lua").code == 0)
    let record = folder.path + "/state/lull/trust.json"
    #expect(try shell("stat -c %a \(record)").output == "600\n")
    chmod(record, 0o644)
    #expect(try !hasRun())
    let list = try run("apis")
    #expect(
      list.errors.contains("lull: nothing is trusted: the record of trust \(record) can be read by")
    )
    let refused = try run("trust", "apis/shop.lua")
    #expect(refused.code == 1 && refused.errors.contains("chmod 600"), "\(refused)")
    chmod(record, 0o600)
    #expect(try hasRun())
    for text in ["{", "[]", #"{"files":3}"#] {
      try folder.write("state/lull/trust.json", text, mode: 0o600)
      #expect(try !hasRun())
      #expect(try run("trust", "apis").code == 1)
      #expect(try run("check", "shop").errors.hasPrefix("lull: nothing is trusted: the record"))
    }
    #expect(
      try String(decoding: shell("cat \(record)").output.utf8, as: UTF8.self) == #"{"files":3}"#)
  }

  @Test func `TRUST-07 processes add to the record at the same time`() throws {
    for number in 1...8 {
      try folder.write("\(number)/x.lua", "return require('lull').service('https://a.example')")
    }
    let children = try (1...8).map { number in
      try Child(
        Binaries.lull, ["trust", "\(number)/x.lua"],
        environment: ["XDG_STATE_HOME": folder.path + "/state"], folder: folder.path)
    }
    for child in children { #expect(try child.wait().code == 0) }
    let list = try run("trust", "--list", "-o", "lines")
    #expect(list.output.split(separator: "\n").count == 8, "\(list)")
  }

  @Test func `TRUST-08 files of one's own configuration need no trust`() throws {
    try folder.write("config/lull/apis/own.lua", TrustTests.main)
    try folder.write("config/lull/apis/lib/name.lua", "return 'first'")
    #expect(try hasRun(name: "own"))
    let needless = try run("trust", "own")
    #expect(
      needless.errors.hasSuffix("own.lua needs no trust: it is in your own configuration folder\n"))
    #expect(needless.code == 0)
    // A link there leads to what may come from anywhere.
    try folder.write("apis/far.lua", TrustTests.main)
    _ = try shell(
      "ln -s \(folder.path)/apis/far.lua config/lull/apis/link.lua", folder: folder.path)
    unlink(folder.path + "/config/lull/apis/own.lua")
    #expect(try !hasRun(name: "link"))
  }

  /// A module that is missing is not to be found in the folder where one happens to stand.
  @Test func `TRUST-08 they load nothing from where one stands`() throws {
    for line in [
      "pcall(require, 'cjson.extra')", "pcall(dofile, 'here.lua')", "pcall(lull.api, 'here')",
      "pcall(package.loadlib, './here.so', '*')",
    ] {
      try folder.write(
        "config/lull/apis/own.lua",
        "local lull = require 'lull'\n\(line)\nreturn lull.service('https://a.example')")
      let bad = "io.open('ran', 'w'):close() return require('lull').service('https://a.example')"
      for name in ["cjson/extra.lua", "here.lua", "apis/here.lua", "here.so"] {
        try folder.write(name, bad)
      }
      #expect(try !hasRun(name: "own"), "\(line)")
      let list = try run("apis")
      #expect(
        list.errors.contains("which is not in your configuration folder: the file was inspected"),
        "\(line): \(list)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "files are given to somebody else by root only"))
  func `TRUST-08 the configuration of somebody else is not one's own`() throws {
    try folder.write("config/lull/apis/own.lua", TrustTests.main)
    try folder.write("config/lull/apis/lib/name.lua", "return 'first'")
    chown(folder.path + "/config/lull", 4711, gid_t.max)
    #expect(try !hasRun(name: "own"))
  }

  @Test func `TRUST-09 they have the environment, no network, and nothing of standard input`()
    throws
  {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service("http://127.0.0.1:1")
      print("printed", io.read())
      return { service = api, description = os.getenv("LULL_TEST_NAME"),
        calls = { [io.read() or "nothing"] = { path = "/x" } } }
      """)
    #expect(try run("trust", "apis/shop.lua").code == 0)
    let list = try Child(
      Binaries.lull, ["apis", "-o", "csv"],
      environment: ["XDG_STATE_HOME": folder.path + "/state", "LULL_TEST_NAME": "Ann"],
      folder: folder.path, input: .text("one\ntwo\n")
    ).wait()
    #expect(list.output == "name,calls,description,path\nshop,1,Ann,apis/shop.lua\n", "\(list)")
    #expect(list.errors == "printed\tnil\n")
    let completed = try run("--complete", "call", "shop", "")
    #expect(completed.output == "nothing\n" && completed.errors == "")
  }

  /// What is missing of the environment is not the file's fault.
  @Test func `TRUST-09 what fails as it is, and not in the sandbox, is taken from there`() throws {
    try folder.write(
      "config/lull/apis/own.lua",
      """
      local lull = require "lull"
      local token = assert(os.getenv("LULL_TEST_TOKEN"), "set LULL_TEST_TOKEN")
      return { service = lull.service("https://a.example"), calls = { a = { path = "/x" } } }
      """)
    #expect(try run("--complete", "call", "own", "").output == "a\n")
    #expect(try run("apis").code == 0)
    let checked = try run("check", "own")
    #expect(checked.output == "" && checked.code == 0, "\(checked)")
  }

  @Test func `TRUST-09 limits and exits go for them as for others`() throws {
    for (line, code) in [("while true do end", 1), ("os.exit(7)", 1), ("error('x')", 1)]
      as [(String, Int32)]
    {
      try folder.write("config/lull/apis/own.lua", line)
      let list = try run("apis")
      #expect(list.errors.contains("own.lua"), "\(line): \(list)")
      #expect(list.code == code, "\(line)")
      #expect(try run("--complete", "call", "own", "").output == "")
    }
  }

  @Test func `TRUST-10 modules of C are covered as well`() throws {
    try #require(Binaries.onPath("cc") != nil)
    try folder.write(
      "mark.c",
      """
      #include <lua5.4/lua.h>
      int luaopen_mark(lua_State *L) { lua_pushstring(L, NAME); return 1; }
      int luaopen_mark_inner(lua_State *L) { lua_pushstring(L, NAME "2"); return 1; }
      """)
    func compile(_ name: String) throws {
      let made = try shell(
        "cc -shared -fPIC -DNAME='\"\(name)\"' -o apis/mark.so mark.c", folder: folder.path)
      #expect(made.code == 0, "\(made)")
    }
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local mark, inner = require "mark", require "mark.inner"
      return { service = lull.service("https://a.example"),
        calls = { [mark] = { path = "/x" }, [inner] = { path = "/y" } } }
      """)
    try compile("first")
    let trusted = try run("trust", "apis/shop.lua")
    #expect(trusted.output == "trusted: apis/shop.lua, and 1 file that it loads\n", "\(trusted)")
    #expect(try run("--complete", "call", "shop", "").output == "first\nfirst2\n")
    try compile("second")
    #expect(try run("--complete", "call", "shop", "").output == "")
    let list = try run("apis")
    #expect(list.errors.contains("loads 'apis/mark.so', which has changed since"), "\(list)")
  }

  @Test func `TRUST-11 what acts asks for no trust`() throws {
    try writeShop()
    let call = try run("call", "shop", "a", "--dry-run")
    #expect(call.code == 0 && access(folder.path + "/ran", F_OK) == 0, "\(call)")
    unlink(folder.path + "/ran")
    #expect(try run("get", "shop", "/x", "--dry-run").code == 0)
    #expect(access(folder.path + "/ran", F_OK) == 0)
  }

  @Test(arguments: [
    (["--list", "--remove"], 2, "--list cannot be combined with --remove"),
    (["--list", "apis"], 2, "takes no PATH"),
    (["--remove"], 2, "needs a PATH"), (["-o", "json"], 2, "-o needs --list"),
    ([], 3, "there is no folder 'apis' here"), (["none.lua"], 3, "there is no API file 'none.lua'"),
    (["none"], 3, "there is no API 'none'"), (["empty"], 0, "there are no API files to be trusted"),
    (["util.lua"], 1, "not an API: the file returns a function"),
    (["../x\u{FF}"], 3, "there is no API file"),
  ])
  func `TRUST-06 says what it cannot do`(words: [String], code: Int32, naming: String) throws {
    mkdir(folder.path + "/empty", 0o755)
    try folder.write("util.lua", "return print")
    let ending = try Child(
      Binaries.lull, ["trust"] + words, environment: ["XDG_STATE_HOME": folder.path + "/state"],
      folder: folder.path
    ).wait()
    #expect(ending.errors.contains(naming), "\(ending)")
    #expect(ending.code == code)
    #expect(ending.output == "")
  }

  @Test func `TRUST-07 without a place for the record it is refused`() throws {
    try writeShop()
    let ending = try run("trust", "apis", environment: ["XDG_STATE_HOME": "", "HOME": ""])
    #expect(ending.errors.contains("set HOME or XDG_STATE_HOME"), "\(ending)")
    #expect(ending.code == 1)
    let state = try run("trust", "apis", environment: ["XDG_STATE_HOME": "/dev/null/none"])
    #expect(state.errors.contains("the record of trust /dev/null/none/lull/trust.json cannot be"))
    #expect(state.code == 1)
  }
}
