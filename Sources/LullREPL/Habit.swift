import LullLuaSource

/// Input that is not useful Lua. Users type it because they are used to IPython, a shell or another
/// prompt.
enum Habit: Equatable {
  /// `exit` or a similar word, which ends the session. If there is a variable with the name
  /// `unless`, the line is run as Lua instead.
  case leaving(unless: String?)
  /// A command that does not exist in Lull, with a hint about the equivalent. If there is a
  /// variable with the name `unless`, the line is run as Lua instead.
  case hint(String, unless: String? = nil)

  /// Recognizes input of this kind in a line. Returns `nil` for any other line.
  init?(_ line: String) {
    let text = line.drop { $0 == " " || $0 == "\t" }
    let word = text.prefix { !$0.isWhitespace }
    let rest = text.dropFirst(word.count).filter { !$0.isWhitespace }
    switch word {
    case "exit", "quit", "exit()", "quit()":
      guard rest.isEmpty else { return nil }
      self = .leaving(unless: String(word.prefix(4)))
    case ".exit", ".quit", ":q", ":quit":
      guard rest.isEmpty else { return nil }
      self = .leaving(unless: nil)
    case _ where word.hasPrefix("!"):
      self = .hint(
        "! does not run shell commands: use os.execute(\"ls\"), outside the sandbox")
    case _ where word.hasPrefix("%"):
      let name = word.drop { $0 == "%" }
      self = .hint("there is no %\(name.prefix(20)): \(Habit.magic[String(name)] ?? Habit.list)")
    default:
      guard let habit = Habit.question(line) ?? Habit.input(line) else { return nil }
      self = habit
    }
  }

  private static let list = ".help lists the commands of the prompt"

  /// The hints for IPython commands, keyed by the name of the command.
  private static let magic = [
    "ed": ".edit opens the last input", "edit": ".edit opens the last input",
    "hist": "Ctrl-R searches the history, .save FILE writes it",
    "history": "Ctrl-R searches the history, .save FILE writes it",
    "load": ".load FILE runs a file", "log": ".log CATEGORIES logs what happens",
    "pinfo": "NAME? describes a name",
    "psearch": "NAME? describes a name", "quickref": list,
    "run": ".load FILE runs a file", "save": ".save FILE writes the statements that succeeded",
    "time": ".time EXPR measures how long a line takes",
    "timeit": ".time EXPR measures how long a line takes", "who": "Tab lists names",
    "whos": "Tab lists names",
  ]

  /// Recognizes `NAME??`, which shows source code in IPython.
  private static func question(_ line: String) -> Habit? {
    let text = line.filter { !$0.isWhitespace }
    let name =
      text.hasSuffix("??") ? text.dropLast(2) : text.hasPrefix("??") ? text.dropFirst(2) : ""
    guard let question = Question(name + "?") else { return nil }
    return .hint("source cannot be shown: \(question.name)? describes it")
  }

  /// Recognizes `In[3]`, which is an earlier input in IPython.
  private static func input(_ line: String) -> Habit? {
    let text = line.filter { !$0.isWhitespace }
    guard text.hasPrefix("In["), text.hasSuffix("]"), let number = Int(text.dropFirst(3).dropLast())
    else { return nil }
    return .hint(
      "there is no In: .edit \(number) opens the input of Out[\(number)], "
        + "Ctrl-R searches the history",
      unless: "In")
  }

  /// The name of a variable, or `nil`. If the variable exists, the line is run as Lua.
  var variable: String? {
    switch self {
    case .leaving(let name), .hint(_, let name): name
    }
  }
}
