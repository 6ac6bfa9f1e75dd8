import LullLibC
import Testing

/// Real shells at a terminal, with the script of `lull completion` loaded or installed: what the Tab key makes of a
/// line.
@Suite("Completion at the prompt of a shell", .timeLimit(.minutes(20)))
struct ShellCompletionTests {
  /// A shell, and how it comes to know the completions.
  struct Setting: CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    /// Lines typed first. After them Ctrl-X Ctrl-P prints the line being typed in double brackets.
    let lines: [String]

    init(_ name: String, _ words: [String], _ lines: String...) {
      (testDescription, self.words, self.lines) = (name, words, lines)
    }
  }

  private static let bash = ["bash", "--noprofile", "--norc", "-i"]
  private static let bashLibrary = "/usr/share/bash-completion/bash_completion"
  private static let showInBash = #"bind -x '"\C-x\C-p": printf "[[%s]]\n" "$READLINE_LINE"'"#
  private static let zsh = ["zsh", "-f", "-i"]
  private static let showInZsh =
    #"show() { print -r -- "[[$BUFFER]]" }; zle -N show; bindkey -e; bindkey '^X^P' show"#
  private static let compinit = "autoload -Uz compinit; compinit -u -D"
  private static let showInFish = #"bind \cx\cp 'echo "[["(commandline)"]]"'"#

  private static let settings = [
    Setting("bash", bash, "source <(lull completion bash)", showInBash),
    Setting(
      "bash with bash-completion", bash, "source \(bashLibrary)", "source <(lull completion bash)",
      showInBash),
    Setting("bash that loads what is installed", bash, "source \(bashLibrary)", showInBash),
    Setting("zsh", zsh, compinit, "source <(lull completion zsh)", showInZsh),
    Setting(
      "zsh that loads what is installed", zsh, "fpath=($XDG_DATA_HOME/zsh $fpath); \(compinit)",
      showInZsh),
    Setting("fish that loads what is installed", ["fish", "--private"], showInFish),
  ].filter { setting in
    Binaries.onPath(setting.words[0]) != nil
      && (access(bashLibrary, R_OK) == 0 || !setting.lines.contains { $0.hasSuffix(bashLibrary) })
  }

  /// A line, and the same line after the Tab key.
  private static let lines: [(typed: String, completed: String)] = [
    // Commands, and words of commands.
    ("lull expl", "lull explain "), ("lull help che", "lull help check "),
    ("lull completion f", "lull completion fish "), ("lull exo", "lull exo"),
    // Options and their values.
    ("lull get --outp", "lull get --output "),
    ("lull get shop /users -o ta", "lull get shop /users -o table "),
    ("lull get shop /users --output=nd", "lull get shop /users --output=ndjson "),
    // APIs, environments, calls, parameters and their values.
    ("lull call sho", "lull call shop "), ("lull call shop@p", "lull call shop@prod "),
    ("lull explain shop@st", "lull explain shop@staging "),
    ("lull call shop us", "lull call shop user"),
    ("lull call shop users --per", "lull call shop users --per-page "),
    ("lull call shop users --sort d", "lull call shop users --sort down "),
    ("lull call shop users --sort=u", "lull call shop users --sort=up "),
    // Names that need quotes.
    ("lull call shop Get", #"lull call shop Get\ All "#),
    (#"lull call shop "Get"#, #"lull call shop "Get All" "#),
    ("lull call 'sho", "lull call 'shop' "),
    // Files.
    ("lull docu", "lull document.yaml "),
    ("lull import openapi doc", "lull import openapi document.yaml "),
    ("lull import openapi two", #"lull import openapi two\ words.json "#),
    ("lull import openapi fol", "lull import openapi folder/"),
    ("lull import openapi folder/", "lull import openapi folder/inner.yaml "),
    ("lull get --ca-file doc", "lull get --ca-file document.yaml "),
    ("lull get --ca-file=doc", "lull get --ca-file=document.yaml "),
  ]

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = {
        users = { path = "/users", params = { per_page = "integer", sort = { "up", "down" } } },
        user = { path = "/users/{id}", params = { id = "integer" } },
        ["Get All"] = { path = "/all" },
      }, environments = { prod = {}, staging = {} } }
      """)
    for name in ["document.yaml", "two words.json", "folder/inner.yaml"] {
      try folder.write(name, "")
    }
    // Where each shell looks by itself.
    for (shell, path) in [
      ("bash", "data/bash-completion/completions/lull"), ("zsh", "data/zsh/_lull"),
      ("fish", "config/fish/completions/lull.fish"),
    ] {
      try folder.write(path, try lull("completion", shell).output)
    }
  }

  @Test(arguments: settings)
  func `PAR-180 Tab completes commands, options, values, APIs, calls and files`(
    setting: Setting
  ) throws {
    let shell = try Child(
      setting.words[0], Array(setting.words.dropFirst()),
      environment: [
        "PATH": Binaries.folder + ":" + (Binaries.environment("PATH") ?? "/usr/bin:/bin"),
        "HOME": folder.path, "XDG_DATA_HOME": folder.path + "/data",
        "XDG_CONFIG_HOME": folder.path + "/config", "LANG": "C.UTF-8",
        "TERM": setting.words[0] == "fish" ? "xterm" : "dumb",
      ], folder: folder.path, terminal: true)
    for line in setting.lines { shell.type(line + "\n") }
    // The echo of what is typed has quotes in it.
    shell.type("echo rea''dy\n")
    try shell.waitForOutput("ready")
    for line in Self.lines {
      let before = shell.output.count
      shell.type(line.typed + "\t\u{18}\u{10}")
      try shell.waitForOutput("]]", after: before)
      let shown = String(decoding: shell.output.dropFirst(before), as: UTF8.self)
      let result = shown.split(separator: "[[").last?.split(separator: "]]").first
      #expect(result.map(String.init) == line.completed, "\(line.typed): \(shown)")
      // Takes the line away.
      shell.type("\u{15}")
    }
  }
}
