import LullLibC
import Testing

/// Revisions that look like something else, files that have come and gone, schemas, and ends that nobody asked for.
@Suite("lull diff: revisions", .timeLimit(.minutes(20)))
struct DiffRevisionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/tmp", 0o700)
  }

  private func run(_ words: [String]) throws -> Child.Ending {
    try folder.runLull(words, environment: ["NO_COLOR": "1", "TMPDIR": folder.path + "/tmp"])
  }

  private func diff(_ words: String...) throws -> Child.Ending { try run(["diff"] + words) }

  private func commit() throws { try folder.commit() }

  @Test func `REV-08 what has another name since is compared with what it was, as Git tells`()
    throws
  {
    let text = DiffTests.old + "\n-- A file that is long enough to be known again.\n"
    try folder.write("apis/old.lua", text)
    try folder.write("apis/gone.lua", "return require'lull'.service('https://gone.example')")
    try commit()
    _ = try shell("git mv apis/old.lua apis/new.lua && rm apis/gone.lua", folder: folder.path)
    try folder.write("apis/new.lua", text.replacing("timeout = 5", with: "timeout = 6"))
    let renamed = try diff("HEAD", "apis/new.lua")
    #expect(renamed.output.hasPrefix("HEAD:apis/old.lua → apis/new.lua\n  timeout  5 s → 6 s\n"))
    #expect(!renamed.output.contains("file: "))
    let gone = try diff("HEAD", "apis/gone.lua")
    #expect(
      gone.output == """
        HEAD:apis/gone.lua → apis/gone.lua
          file: removed
          base_url  https://gone.example/ → default
            - HEAD:apis/gone.lua

        """, "\(gone)")
    #expect(gone.code == 7)
    try folder.write("apis/come.lua", DiffTests.old)
    let come = try run(["diff", "HEAD", "apis/come.lua", "-o", "json"])
    #expect(come.output.contains(#""change": "added""#) && come.code == 7)
    #expect(come.output.contains(#""name": "timeout""#))
    #expect(!come.output.contains(#""name": "redirects""#), "what no file says is nothing new")
    #expect(
      try run(["diff", "HEAD", "apis/gone.lua", "-o", "markdown"]).output.contains(
        "The file was removed.\n"))
    let never = try diff("HEAD", "apis/never.lua")
    #expect(never.code == 3)
    #expect(
      never.errors == "lull: there is no API file 'apis/never.lua', neither now nor in HEAD\n")
  }

  @Test func `REV-09 calls differ by what schemas say of them, also by definitions`() throws {
    try folder.write(
      "apis/x.lua",
      """
      return { service = require"lull".service("https://a.example"), schemas = "x.schemas.json", calls = {
        user = { path = "/user", headers = { ["X-A"] = "1" } }, other = { path = "/other" } } }
      """)
    let schemas =
      ##"{"calls":{"user":{"responses":{"200":{"$ref":"#/$defs/user"}}}},"$defs":{"user":{"type":"object"}}}"##
    try folder.write("apis/x.schemas.json", schemas)
    try commit()
    // Written otherwise, it says the same.
    try folder.write("apis/x.schemas.json", schemas.replacing(":", with: " : "))
    #expect(try diff("HEAD", "apis/x.lua").code == 0)
    try folder.write("apis/x.schemas.json", schemas.replacing("object", with: "array"))
    let ending = try diff("HEAD", "apis/x.lua")
    #expect(ending.code == 7)
    let line = ending.output.split(separator: "\n").last.map(String.init) ?? ""
    #expect(
      line.hasPrefix(##"    schema  {"responses":{"200":{"$ref":"#/$defs/user"}}} ("##), "\(ending)"
    )
    #expect(line.contains(" → "))
    #expect(!ending.output.contains("call other"))
    try folder.write("apis/x.schemas.json", schemas)
    let text = try #require(folder.text("apis/x.lua"))
    try folder.write(
      "apis/x.lua", text.replacing("\"1\"", with: "\"2\", Authorization = \"Bearer s3cret\""))
    let headers = try diff("HEAD", "apis/x.lua")
    #expect(headers.output.contains("    header x-a  1 → 2\n"), "\(headers)")
    #expect(!headers.output.contains("s3cret"))
  }

  @Test func `REV-10 what stands in --urls and is no URL, or is nothing, is told with its line`()
    throws
  {
    try folder.write("a.lua", DiffTests.old)
    try folder.write("b.lua", DiffTests.new)
    func problem(_ bytes: [UInt8]) throws -> String {
      try folder.write("urls.txt", bytes)
      let ending = try diff("a.lua", "b.lua", "--urls", "urls.txt")
      #expect(ending.code == 3 && ending.output == "", "\(ending)")
      return ending.errors
    }
    #expect(try problem([]) == "lull: urls.txt has neither a path nor a URL\n")
    #expect(
      try problem(Array("# nothing\n \t\r\n".utf8))
        == "lull: urls.txt has neither a path nor a URL\n")
    #expect(
      try problem(Array("/a\n".utf8) + [0xFF, 0xFE, 10])
        == "lull: urls.txt:2: this line is not text in UTF-8\n")
    #expect(
      try problem(Array("/a\n\nhttp://[::1\n".utf8)).hasPrefix(
        "lull: urls.txt:3: 'http://[::1' is not a URL below https://api.example/v1"))
    try folder.write(
      "urls.txt", [0xEF, 0xBB, 0xBF] + Array("/orders/1 \r\n/orders/1\n/orders/2".utf8))
    let twice = try diff("a.lua", "b.lua", "--urls", "urls.txt")
    #expect(twice.output.contains("    2 URLs: /orders/1, /orders/2\n"), "\(twice)")
  }

  @Test func `REV-11 a revision is a revision, whatever it looks like`() throws {
    try folder.write("apis/main.lua", DiffTests.old)
    try folder.write("apis/x.lua", DiffTests.new)
    try commit()
    _ = try shell("git branch -M trunk && git branch main", folder: folder.path)
    let both = try diff("main", "x")
    #expect(both.code == 2)
    #expect(
      both.errors.hasPrefix("lull: 'main' is both an API ('apis/main.lua') and a Git revision: "))
    #expect(try diff("refs/heads/main", "x").code == 0)
    #expect(try diff("./apis/main.lua", "x").code == 7)
    for word in ["--", "-p", "--output=sly"] {
      let ending = try diff("--", word, "apis/x.lua")
      #expect(ending.code == 3)
      #expect(ending.errors == "lull: '\(word)' is not a Git revision\n", "\(ending)")
    }
    #expect(try diff("", "apis/x.lua").code == 2)
    let range = try diff("trunk~1..trunk", "apis/x.lua")
    #expect(range.code == 3)
    #expect(
      range.errors == "lull: the repository of 'apis' has no revision 'trunk~1..trunk'\n",
      "\(range)"
    )
    try folder.write("apis/x.lua", DiffTests.old)
    _ = try shell(
      "git -c user.name=a -c user.email=a@b commit -qam two && git clone -q --depth 1 file://$PWD cut",
      folder: folder.path)
    let shallow = try Child(
      Binaries.lull, ["diff", "HEAD~1", "apis/x.lua"],
      environment: ["TMPDIR": folder.path + "/tmp"],
      folder: folder.path + "/cut"
    ).wait()
    #expect(
      shallow.errors
        == "lull: the repository of 'apis' has no revision 'HEAD~1'; it is a shallow clone: "
        + "git fetch --unshallow loads the full history\n", "\(shallow)")
    _ = try shell("ln -s x.lua apis/link.lua && git add apis/link.lua", folder: folder.path)
    _ = try shell(
      "git -c user.name=a -c user.email=a@b commit -qam three", folder: folder.path)
    let link = try diff("HEAD", "apis/link.lua")
    #expect(
      link.errors
        == "lull: HEAD:apis/link.lua is a symbolic link: name the file that it leads to\n",
      "\(link)")
  }

  @Test func `REV-11 in a hook of Git, too, the repository is that of the working tree`() throws {
    try folder.write("apis/x.lua", DiffTests.old)
    try commit()
    try folder.write("apis/x.lua", DiffTests.old.replacing("timeout = 5", with: "timeout = 6"))
    try folder.write(
      ".git/hooks/pre-commit", "#!/bin/sh\n'\(Binaries.lull)' diff HEAD apis/x.lua > seen\n",
      mode: 0o755)
    _ = try shell(
      "git -c user.name=a -c user.email=a@b commit -qam two; true", folder: folder.path)
    #expect(
      folder.text("seen")?.hasPrefix("HEAD:apis/x.lua → apis/x.lua\n  timeout  5 s → 6 s\n") == true
    )
    for place in [".git", folder.path + "/.git"] {
      let ending = try Child(
        Binaries.lull, ["diff", "HEAD", "apis/x.lua"],
        environment: ["GIT_DIR": place, "TMPDIR": folder.path + "/tmp"], folder: folder.path
      ).wait()
      #expect(
        ending.output.hasPrefix("HEAD:apis/x.lua → apis/x.lua\n  timeout  5 s → 6 s\n"), "\(ending)"
      )
    }
    // What the repository names is run by nobody.
    _ = try shell("git config core.fsmonitor 'touch sly; false'", folder: folder.path)
    try folder.write("apis/new.lua", DiffTests.old)
    #expect(try diff("HEAD", "apis/new.lua").code == 7)
    #expect(access(folder.path + "/sly", F_OK) != 0)
  }

  @Test func `REV-160 Git runs no program that a repository's configuration names`() throws {
    let text = DiffTests.old + "\n-- A file that is long enough to be known again.\n"
    try folder.write("apis/old.lua", text)
    try folder.write("apis/other.lua", DiffTests.old)
    try commit()
    try folder.write("sly.sh", "#!/bin/sh\ntouch '\(folder.path)/sly'\ncat\n", mode: 0o755)
    let sly = folder.path + "/sly.sh"
    try folder.write(
      ".gitattributes", "* filter=sly diff=sly merge=sly text eol=crlf\n")
    let settings = [
      "filter.sly.clean", "filter.sly.smudge", "filter.sly.process", "core.fsmonitor",
      "core.pager", "pager.diff", "pager.cat-file", "pager.ls-tree", "pager.rev-parse",
      "diff.external", "diff.sly.command", "diff.sly.textconv", "merge.sly.driver",
      "core.sshCommand", "core.editor", "credential.helper", "gpg.program",
      "core.alternateRefsCommand", "core.askPass", "alias.diff", "alias.ls-files",
    ]
    for name in settings {
      _ = try shell("git config \(name) '\(sly)'", folder: folder.path)
    }
    for (name, value) in [
      ("filter.sly.required", "true"), ("core.hooksPath", folder.path + "/hooks"),
      ("diff.sly.cachetextconv", "true"), ("protocol.ext.allow", "always"),
      ("protocol.allow", "always"), ("remote.sly.url", "ext::\(sly)"),
      ("remote.sly.promisor", "true"), ("extensions.partialClone", "sly"),
      ("core.repositoryFormatVersion", "1"), ("core.untrackedCache", "true"),
    ] { _ = try shell("git config \(name) '\(value)'", folder: folder.path) }
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
      try folder.write("hooks/\(hook)", "#!/bin/sh\ntouch '\(folder.path)/sly'\n", mode: 0o755)
    }
    let isRun = { access(folder.path + "/sly", F_OK) == 0 }
    // The test sees what it looks for.
    try folder.write("apis/other.lua", DiffTests.new)
    _ = try shell("git diff HEAD > /dev/null 2>&1; true", folder: folder.path)
    #expect(isRun())
    _ = try shell("mv apis/old.lua apis/new.lua; rm -f sly", folder: folder.path)
    try folder.write("apis/new.lua", text.replacing("timeout = 5", with: "timeout = 6"))
    let renamed = try diff("HEAD", "apis/new.lua")
    #expect(
      renamed.output.hasPrefix("HEAD:apis/old.lua → apis/new.lua\n  timeout  5 s → 6 s\n"),
      "\(renamed)")
    #expect(!isRun())
    #expect(try diff("HEAD", "apis/other.lua").code == 7)
    #expect(try diff("HEAD", "apis/old.lua").output.contains("file: removed"))
    #expect(try diff("HEAD~7", "apis/other.lua").code == 3)
    // What a partial clone lacks would be fetched by the program of its remote.
    _ = try shell("rm -r .git/objects/??", folder: folder.path)
    #expect(try diff("HEAD", "apis/other.lua").code == 3)
    #expect(!isRun())
    #expect(try shell("ls tmp", folder: folder.path).output == "")
  }

  @Test func `REV-160 what Git finds to be another file is compared by its bytes`() throws {
    let text = DiffTests.old + String(repeating: "-- A comment of a line.\n", count: 40)
    try folder.write("apis/lib/old.lua", text)
    try folder.write("apis/same.lua", DiffTests.new)
    try commit()
    // Neither added nor as the repository would have it.
    try folder.write(".gitattributes", "* text eol=crlf\n")
    _ = try shell(
      "rm apis/lib/old.lua; mkfifo apis/pipe.lua; ln -s /dev/zero apis/zero.lua",
      folder: folder.path)
    try folder.write("apis/new.lua", text.replacing("\n", with: "\r\n"))
    let ending = try diff("HEAD", "apis/new.lua")
    #expect(!ending.output.contains("file: "), "\(ending)")
    #expect(ending.code == 0, "\(ending)")
    try folder.write("apis/unlike.lua", DiffTests.new)
    #expect(try diff("HEAD", "apis/unlike.lua").output.contains("file: added"))
  }

  @Test func `REV-07 of one side that is broken the other is not told`() throws {
    try folder.write("x.lua", "return {")
    try commit()
    try folder.write("x.lua", DiffTests.old)
    let before = try diff("HEAD", "x.lua")
    #expect(before.code == 3 && before.output == "")
    #expect(before.errors.hasPrefix("lull: HEAD:x.lua:"), "\(before)")
    #expect(!before.errors.contains(folder.path), "\(before)")
    #expect(try shell("ls tmp", folder: folder.path).output == "")
    try folder.write("x.lua", "return (")
    let after = try diff("HEAD~0", "x.lua")
    #expect(after.code == 3 && after.output == "")
  }

  @Test func `REV-12 what was put down for a comparison is gone after Ctrl-C, too`() throws {
    for number in 0..<300 { try folder.write("apis/lib/m\(number).lua", "return \(number)\n") }
    try folder.write("apis/x.lua", DiffTests.old)
    try commit()
    let child = try Child(
      Binaries.lull, ["diff", "HEAD", "apis/x.lua"],
      environment: ["TMPDIR": folder.path + "/tmp"], folder: folder.path)
    try child.wait(until: "it puts files there") {
      (try? shell("ls tmp", folder: folder.path).output) != ""
    }
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.code == 130, "\(ending)")
    #expect(ending.output == "" && ending.errors == "", "\(ending)")
    #expect(try shell("ls tmp", folder: folder.path).output == "")
  }

  @Test func `REV-12 so it is where nobody reads, which is code 1`() throws {
    try folder.write("apis/x.lua", DiffTests.old)
    try commit()
    try folder.write("apis/x.lua", DiffTests.new)
    for output in ["> /dev/full", ">&-"] {
      for format in ["text", "json", "markdown"] {
        let ending = try Child(
          "sh",
          ["-c", "'\(Binaries.lull)' diff HEAD apis/x.lua -o \(format) \(output)"],
          environment: ["TMPDIR": folder.path + "/tmp"], folder: folder.path
        ).wait()
        #expect(ending.code == 1 || output == ">&-" && ending.code == 7, "\(ending)")
        #expect(try shell("ls tmp", folder: folder.path).output == "")
      }
    }
  }
}
