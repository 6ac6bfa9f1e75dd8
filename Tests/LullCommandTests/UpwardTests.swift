import LullLibC
import Testing

/// Names of API files that are found in the folders above.
@Suite("API files found upward", .timeLimit(.minutes(20)))
struct UpwardTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (place, text) in [
      ("repo/apis/top", "Top"), ("repo/apis/both", "Top"), ("repo/a/apis/both", "Near"),
      ("repo/a/b/apis/here", "Here"), ("apis/outside", "Outside"),
      ("config/lull/apis/own", "Own"), ("config/lull/apis/top", "Own"),
    ] {
      try folder.write("\(place).lua", UpwardTests.file(text))
    }
    try folder.write("repo/.git/HEAD", "")
    mkdir(folder.path + "/repo/a/b/c", 0o755)
  }

  private static func file(_ description: String) -> String {
    """
    return { service = require("lull").service("https://a.example"),
      description = "\(description)", calls = { a = { path = "/x" } } }
    """
  }

  private func run(_ words: [String], in place: String) throws -> Child.Ending {
    try Child(
      Binaries.lull, words, environment: ["XDG_CONFIG_HOME": folder.path + "/config"],
      folder: folder.path + "/" + place
    ).wait()
  }

  /// Names with where they are, as `lull apis` has them.
  private func names(in place: String) throws -> [String] {
    let ending = try run(["apis", "-o", "csv"], in: place)
    return ending.output.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",").map(String.init)
      return "\(fields[0]) \(fields[2]) \(fields[3].replacing(folder.path, with: "…"))"
    }
  }

  @Test func `APIF-01 the nearest counts, up to the folder that holds the repository`() throws {
    #expect(
      try names(in: "repo/a/b/c") == [
        "both Near ../../apis/both.lua", "here Here ../apis/here.lua",
        "own Own …/config/lull/apis/own.lua", "top Top ../../../apis/top.lua",
      ])
    #expect(
      try names(in: "repo") == [
        "both Top apis/both.lua", "own Own …/config/lull/apis/own.lua", "top Top apis/top.lua",
      ])
    let call = try run(["get", "both", "/x", "--dry-run"], in: "repo/a/b/c")
    #expect(call.output.hasPrefix("GET https://a.example/x\n"), "\(call)")
    #expect(try run(["--complete", "call", "bo"], in: "repo/a/b/c").output == "both\n//files\n")
    #expect(
      try run(["-e", "print(lull.api('top').path)"], in: "repo/a").output == "../apis/top.lua\n")
    let missing = try run(["get", "tap", "/x"], in: "repo/a")
    #expect(missing.errors == "lull: there is no API 'tap' (did you mean 'top'?)\n")
    #expect(try run(["get", "outside", "/x"], in: "repo/a").code == 3)
  }

  @Test func `APIF-01 without a repository there is nothing above`() throws {
    _ = try shell("rm -r repo/.git", folder: folder.path)
    #expect(
      try names(in: "repo/a") == [
        "both Near apis/both.lua", "own Own …/config/lull/apis/own.lua",
        "top Own …/config/lull/apis/top.lua",
      ])
  }

  @Test func `APIF-01 the repository may be a work tree, or one within another`() throws {
    try folder.write("repo/a/.git", "gitdir: elsewhere\n")
    #expect(
      try names(in: "repo/a/b/c") == [
        "both Near ../../apis/both.lua", "here Here ../apis/here.lua",
        "own Own …/config/lull/apis/own.lua", "top Own …/config/lull/apis/top.lua",
      ])
  }

  @Test(
    .enabled(if: geteuid() == 0, "files are given to somebody else by root only"),
    arguments: [
      ("a", "'..' belongs to another user (uid 4711)"),
      ("a/apis", "'../apis' belongs to another user (uid 4711)"),
      ("a/apis/both.lua", "'../apis/both.lua' belongs to another user (uid 4711)"),
    ])
  func `APIF-02 nothing above is taken of another user`(place: String, reason: String) throws {
    chown(folder.path + "/repo/" + place, 4711, gid_t.max)
    let text = "'../apis/both.lua' is skipped: \(reason); to use it from here, name it by its path"
    for words in [["get", "both", "/x"], ["call", "both", "--help"], ["check", "both"]] {
      let ending = try run(words, in: "repo/a/b")
      #expect(ending.errors == "lull: \(text)\n", "\(words)")
      #expect(ending.output == "")
      #expect(ending.code == 3)
    }
    let script = try run(["-e", "lull.api 'both'"], in: "repo/a/b")
    #expect(script.errors.contains(text), "\(script.errors)")
    let list = try run(["apis", "-o", "lines"], in: "repo/a/b")
    #expect(list.errors.contains(text) && !list.output.contains("both"), "\(list)")
    #expect(try run(["--complete", "call", "bo"], in: "repo/a/b").output == "//files\n")
    // By its path, and where one stands, it is what is named.
    for (word, place) in [("../apis/both.lua", "repo/a/b"), ("both", "repo/a")] {
      #expect(try run(["get", word, "/x", "--dry-run"], in: place).code == 0, "\(word)")
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "files are given to somebody else by root only"),
    arguments: [true, false])
  func `APIF-02 links are as their owner and as what they lead to`(isLink: Bool) throws {
    _ = try shell(
      "mv repo/apis/top.lua repo/real; ln -s ../real repo/apis/top.lua", folder: folder.path)
    #expect(try run(["get", "top", "/x", "--dry-run"], in: "repo/a").code == 0)
    let place = folder.path + (isLink ? "/repo/apis/top.lua" : "/repo/real")
    lchown(place, 4711, gid_t.max)
    let ending = try run(["get", "top", "/x", "--dry-run"], in: "repo/a")
    #expect(ending.errors.contains("'../apis/top.lua' belongs to another user (uid 4711)"))
    #expect(ending.code == 3)
  }

  @Test func `APIF-03 nothing above is taken that links have outside of the repository`() throws {
    _ = try shell(
      "ln -s ../../apis/outside.lua repo/apis/out.lua; ln -s both.lua repo/apis/in.lua",
      folder: folder.path)
    let ending = try run(["get", "out", "/x"], in: "repo/a")
    #expect(
      ending.errors
        == "lull: '../apis/out.lua' is skipped: it is a link that leads outside the repository; "
        + "to use it from here, name it by its path\n")
    #expect(ending.code == 3)
    #expect(try run(["get", "in", "/x", "--dry-run"], in: "repo/a").code == 0)
    #expect(try run(["get", "out", "/x", "--dry-run"], in: "repo").code == 0)
    _ = try shell("mv repo/apis moved; ln -s ../moved repo/apis", folder: folder.path)
    let list = try run(["apis", "-o", "lines"], in: "repo/a/b")
    #expect(list.errors.contains("'../../apis/top.lua' is skipped: it is a link"), "\(list)")
  }

  @Test func `APIF-01 what cannot be looked through is told, and a file is no folder`() throws {
    _ = try shell("rm -r repo/a/apis repo/a/b/apis; ln -s apis repo/a/apis", folder: folder.path)
    try folder.write("repo/a/b/apis", "")
    let list = try run(["apis", "-o", "lines"], in: "repo/a/b")
    #expect(
      list.errors == "lull: '../apis' cannot be read: Too many levels of symbolic links\n",
      "\(list)")
    #expect(list.output.contains(#""name":"top""#))
    #expect(list.code == 0)
  }
}
