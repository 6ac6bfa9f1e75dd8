import Testing

@Suite("Completion in shells", .timeLimit(.minutes(20)))
struct CompletionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = {
        users = { path = "/users", params = { per_page = "integer", sort = { "up", "down" },
          archived = "boolean", output = "string" } },
        user = { path = "/users/{id}", params = { id = "integer" } },
        find = { path = "/find", method = "QUERY", params = { term = "string" } },
      } }
      """)
    try folder.write("apis/store.lua", "return require('lull').service('https://a.example')")
  }

  /// What a line may become, by the words that are offered for its last one.
  private static let lines: [(line: String, words: [String])] = [
    ("lull expl", ["explain"]),
    ("lull call s", ["shop", "store"]),
    ("lull call shop u", ["users", "user"]),
    ("lull call shop users --per", ["--per-page"]),
    ("lull call shop users --sort ", ["up", "down"]),
    ("lull call shop users --arch", ["--archived"]),
    ("lull call shop users --no-", ["--no-archived", "--no-pager"]),
    ("lull call shop users --archived f", ["false"]),
    ("lull call shop users --param", ["--param-output"]),
    ("lull call shop users --output n", ["ndjson"]),
    ("lull get shop /us", ["/users", "/users/"]),
    ("lull get shop /users --outp", ["--output"]),
    ("lull get shop /users -o t", ["table"]),
    ("lull wat", ["watch"]), ("lull cha", ["changed"]),
    ("lull watch shop /us", ["/users", "/users/"]),
    ("lull changed shop /us", ["/users", "/users/"]), ("lull watch shop /users --ev", ["--every"]),
    ("lull changed shop /users --fo", ["--forget", "--follow"]),
    ("lull changed shop /users -o ", ["json", "ndjson"]),
    // QUERY-40
    ("lull watch qu", ["query"]), ("lull watch query s", ["shop", "store"]),
    ("lull watch query shop /", ["/find"]), ("lull changed QUERY shop /f", ["/find"]),
    ("lull changed query shop /find --query-method ", ["QUERY", "POST"]),
    ("lull query shop /", ["/find"]), ("lull call shop find --te", ["--term"]),
    ("lull get shop /users --cha", ["--chart"]),
    ("lull completion ", ["bash", "zsh", "fish"]),
    ("lull import ", ["openapi", "curl", "har", "postman", "graphql"]),
    ("lull import openapi --on", ["--only"]),
    ("lull help che", ["check"]),
    ("lull describe sh", ["share", "shop"]), ("lull describe shop u", ["users", "user"]),
    ("lull describe get u", []), ("lull describe -o j", ["json"]),
    ("lull skill s", ["shop", "store"]),
    // PAR-150 to PAR-152
    ("lull call shop users --sort=", ["--sort=up", "--sort=down"]),
    ("lull call shop users --sort=u", ["--sort=up"]),
    ("lull call shop users --archived=t", ["--archived=true"]),
    ("lull get shop /users --output=nd", ["--output=ndjson"]),
    ("lull explain shop /us", ["/users", "/users/"]),
    ("lull get -o json shop /us", ["/users", "/users/"]),
    ("lull call --output json shop us", ["users", "user"]),
    ("lull call shop --output nd", ["ndjson"]), ("lull call --outp", ["--output"]),
  ]

  @Test(arguments: lines) func `asks Lull itself`(line: String, words: [String]) throws {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false).dropFirst()
    let ending = try Child(
      Binaries.lull, ["--complete"] + parts.map(String.init), folder: folder.path
    )
    .wait()
    let offered = ending.output.split(separator: "\n").filter { $0 != "//files" }
      .map { String($0.prefix { $0 != "\t" }) }
    #expect(offered == words)
    #expect(ending.errors == "")
  }

  @Test(arguments: lines) func `works in bash`(line: String, words: [String]) throws {
    let script = """
      source <(lull completion bash)
      COMP_LINE=$1 COMP_POINT=${#1}
      read -ra COMP_WORDS <<<"$1"
      [[ $1 == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _lull
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let file = try folder.write("complete.bash", script)
    let ending = try shell("cd \(folder.path) && bash \(file) '\(line)'")
    // Names of files that fit are offered too.
    let offered = ending.output.split(separator: "\n").map(String.init)
    // Bash takes what stands behind the equals sign for a word.
    let replies = words.map { word in
      word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? word
    }
    #expect(Array(offered.prefix(words.count)) == replies, "\(ending)")
    #expect(ending.errors == "")
  }

  /// Names of files are the shell's to find.
  @Test(arguments: [
    "import openapi ", "import openapi x -o ", "import har x --output ", "export shop -o ",
    "export shop --openapi --output ", "export ", "types shop -o ", "drift shop --from-har ",
    "diff shop --urls ", "mock shop --cassette ", "call shop users -O ", "skill shop -O ",
    "get shop / --ca-file ", "get shop / -d ",
  ])
  func `PAR-12 files are offered where one is meant`(line: String) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let ending = try Child(Binaries.lull, ["--complete"] + words, folder: folder.path).wait()
    #expect(ending.output.hasSuffix("//files\n"), "\(ending)")
    for other in ["import openapi x --only ", "export shop --only ", "drift shop -o "] {
      let words = other.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      let ending = try Child(Binaries.lull, ["--complete"] + words, folder: folder.path).wait()
      #expect(!ending.output.contains("//files"), "\(ending)")
    }
  }

  /// Whatever a file offers is one word of the command line, and not a part of it that is run.
  @Test func `offers bash words that stay words`() throws {
    try folder.write(
      "apis/odd.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = {
        a = { path = "/x", params = { sort = { "in progress", "$(touch pwned)", ";x" } } } } }
      """)
    let script = """
      source <(lull completion bash)
      COMP_LINE='lull call odd a --sort ' COMP_POINT=23
      _lull
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let file = try folder.write("complete.bash", script)
    let ending = try shell("cd \(folder.path) && bash \(file)")
    #expect(
      ending.output == #"in\ progress"# + "\n" + #"\$\(touch\ pwned\)"# + "\n" + #"\;x"# + "\n")
    #expect(ending.errors == "")
  }

  @Test(arguments: [("@", ["@prod", "@staging"]), ("", ["bin@prod", "bin@staging"])])
  func `PAR-153 bash puts environments behind the name that is there`(
    breaks: String, replies: [String]
  ) throws {
    try folder.write(
      "apis/bin.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = {},
        environments = { prod = {}, staging = {} } }
      """)
    let script = """
      source <(lull completion bash)
      COMP_WORDBREAKS=$'"\\'><=;|&(: '$1
      COMP_LINE='lull call bin@' COMP_POINT=14
      _lull
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let file = try folder.write("complete.bash", script)
    let ending = try shell("cd \(folder.path) && bash \(file) '\(breaks)'")
    #expect(ending.output.split(separator: "\n").map(String.init) == replies, "\(ending)")
  }

  @Test func `PAR-152 options of a call come first`() throws {
    let ending = try Child(
      Binaries.lull, ["--complete", "call", "shop", "users", "--"], folder: folder.path
    )
    .wait()
    let names = ending.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(
      Set(names.prefix(5)) == [
        "--per-page", "--sort", "--archived", "--no-archived",
        "--param-output",
      ])
  }

  /// Lines with quotes, and what bash puts in the place of their last word.
  private static let quoted: [(line: String, replies: [String])] = [
    (#"lull call names "#, [#"repos/get"#, #"Get\ All\ Users"#, "a:b", #"it\'s\ \$HOME"#]),
    (#"lull call names Get\ A"#, [#"Get\ All\ Users"#]),
    (#"lull call names "Get A"#, ["Get All Users"]),
    (#"lull call names 'Get A"#, ["Get All Users"]),
    (#"lull call names "it's"#, [#"it's \$HOME"#]), (#"lull call names 'i"#, []),
    (#"lull call names repos/"#, ["repos/get"]), (#"lull call names a:"#, ["b"]),
    (#"lull call names Get\ All\ Users --pe"#, ["--per-page"]),
    (#"lull call names "Get All Users" --pe"#, ["--per-page"]),
    (#"lull call names 'Get All Users' --sort u"#, ["up"]),
    (#"lull call "names" it\'s\ \$HOME --so"#, ["--sort"]),
  ]

  @Test(arguments: quoted) func `PAR-12 bash completes names that need quotes`(
    line: String, replies: [String]
  ) throws {
    try writeNames()
    let script = """
      source <(lull completion bash)
      COMP_LINE=$1 COMP_POINT=${#1}
      _lull
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let file = try folder.write("complete.bash", script)
    let line = line.replacing("'", with: #"'\''"#)
    let ending = try shell("cd \(folder.path) && bash \(file) '\(line)'")
    #expect(ending.output.split(separator: "\n").map(String.init) == replies, "\(ending)")
    #expect(ending.errors == "")
  }

  private func writeNames() throws {
    let parameters = #"params = { per_page = "integer", sort = { "up", "down" } }"#
    try folder.write(
      "apis/names.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = {
        ["repos/get"] = { path = "/r", \(parameters) },
        ["Get All Users"] = { path = "/u", \(parameters) },
        ["it's $HOME"] = { path = "/h", \(parameters) }, ["a:b"] = { path = "/a" },
      } }
      """)
  }

  @Test(.enabled(if: Binaries.onPath("fish") != nil), arguments: lines)
  func `works in fish`(line: String, words: [String]) throws {
    let ending = try shell(
      "cd \(folder.path) && fish --no-config -c 'lull completion fish | source; complete -C \"\(line)\"'"
    )
    let offered = ending.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    #expect(Set(words).isSubset(of: offered), "\(ending)")
  }

  @Test(.enabled(if: Binaries.onPath("zsh") != nil), arguments: lines)
  func `works in zsh`(line: String, words: [String]) throws {
    // `_describe` is what shows them: here it says what it was given.
    let script = """
      compdef() { :; }
      _files() { :; }
      _describe() { local -a given; given=("${(@P)3}"); print -rl -- "${given[@]%%:*}"; }
      source <(lull completion zsh)
      words=("${(@s: :)1}")
      CURRENT=${#words}
      PREFIX=$words[CURRENT]
      _lull
      """
    let file = try folder.write("complete.zsh", script)
    let ending = try shell("cd \(folder.path) && zsh -f \(file) '\(line)'")
    #expect(ending.output.split(separator: "\n").map(String.init) == words, "\(ending)")
    #expect(ending.errors == "")
  }

  /// Each registers itself in its shell's own way.
  @Test(arguments: [
    ("bash", "complete -F _lull lull"), ("zsh", "compdef _lull lull"),
    ("fish", "complete -c lull -f -k -a '(__lull_complete)'"),
  ])
  func `knows its shells`(name: String, registration: String) throws {
    let ending = try lull("completion", name)
    #expect(ending.output.contains(registration))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `refuses other shells`() throws {
    let other = try lull("completion", "tcsh")
    #expect(other.code == 2)
    #expect(other.errors.contains("tcsh"))
  }
}
