import LullLibC
import LullArguments
import LullCore
import LullHost

/// What there is to know of a command: help, completion and dispatch read nothing else.
///
/// Each stands beside what it runs, and in `all`.
struct Command: Sendable {
  typealias Form = (usage: String, text: String)
  typealias Work = @Sendable (ArraySlice<String>, Command) throws(CommandEnd) -> Int32

  /// Where the overview has it.
  enum Group: String, CaseIterable {
    case ask = "Send requests"
    case keep = "State on disk"
    case describe = "Describe APIs"
    case script = "Run scripts"
    case help = "Help"
  }

  /// What the words behind it may be, for completion.
  enum Words {
    case files
    /// The options of its page, and files.
    case optionsAndFiles
    /// The options of its page.
    case options
    /// A resource: an API and a path, and options.
    case target
    /// A call of an API, and its parameters.
    case call
    case apisAndFiles
    /// Commands and topics of help.
    case commands
    case of([String])
    /// One of these, then files, and the options of its page.
    case kindsAndFiles([String])
  }

  let name: String
  /// What it does, in a few words.
  let summary: String
  let group: Group
  /// How it is typed after `lull`, and what it does; commands without forms share a line of names.
  let forms: [Form]
  /// The number of forms that the short overview shows.
  let briefForms: Int
  let words: Words
  /// Whether words behind it need not be texts, as names of files.
  let takesBytes: Bool
  private let makeSpec: @Sendable () -> ArgumentSpec
  private let work: Work

  init(
    _ name: String, _ summary: String, _ group: Group, forms: [Form], briefForms: Int = 1,
    spec: @escaping @Sendable () -> ArgumentSpec, words: Words, takesBytes: Bool = false,
    _ work: @escaping Work
  ) {
    self.name = name
    self.summary = summary
    self.group = group
    self.forms = forms
    self.briefForms = briefForms
    self.words = words
    self.takesBytes = takesBytes
    makeSpec = spec
    self.work = work
  }

  /// In the order of the overview.
  static let all: [Command] = [
    .get, .post, .put, .patch, .delete, .head, .options, .call, .watch, .changed,
    .cache, .limits, .share, .login, .logout,
    .apis, .explain, .check, .diff, .import, .export, .mock, .types, .drift, .trust,
    .run, .test, .repl,
    .demo, .completion, .help,
  ]

  /// Those that are called like a method.
  static let verbs: [Command] = [.get, .post, .put, .patch, .delete, .head, .options]

  /// nil if there is none of that name.
  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// What may stand on its command line. Made only when somebody asks.
  var spec: ArgumentSpec { makeSpec() }

  /// The page of `lull help COMMAND`: all options, with details.
  var manual: String { ArgumentHelp.text(of: spec, hasDetails: true) }

  /// The page of `--help`: at most 40 lines.
  var page: String { ArgumentHelp.page(of: spec) }

  /// Does it, and gives the exit code.
  ///
  /// - Parameter words: its name, and what follows; of `run` and `repl` the name may be left out.
  func run(_ words: ArraySlice<String>) throws(CommandEnd) -> Int32 {
    if !takesBytes { try CommandWords.requireTexts(for: self) }
    return try work(words, self)
  }
}

/// Why the words of a command line ask for nothing to be run.
enum CommandEnd: Error {
  /// Help of a command was requested, or the overview.
  case help(Command?)
  /// A page of help was requested.
  case page(String)
  case version
  /// What was wrong has been told; this is the exit code.
  case told(Int32)
  /// What was wrong, in words, and the command whose page says how it should be.
  case wrongUsage(String, Command?)

  init(_ end: ArgumentParser.End, _ command: Command) {
    switch end {
    case .help: self = .help(command)
    case .version: self = .version
    case .problem(let text): self = .wrongUsage(text, command)
    }
  }
}

extension ArgumentSpec {
  /// What words say that follow a command's name.
  ///
  /// - Parameters:
  ///   - command: the one whose page tells more.
  ///   - checksRules: False where defaults are filled in before the rules of options are checked.
  func read(
    _ words: some Collection<String>, for command: Command, checksRules: Bool = true
  ) throws(CommandEnd) -> ParsedArguments {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.parse(Array(words), by: self, checksRules: checksRules)
    } catch {
      throw CommandEnd(error, command)
    }
  }

  /// What the options at the front of `words` say, which are taken from there.
  func takeLeading(from words: inout ArraySlice<String>, for command: Command) throws(CommandEnd)
    -> ParsedArguments
  {
    do throws(ArgumentParser.End) {
      return try ArgumentParser.takeLeading(&words, by: self)
    } catch {
      throw CommandEnd(error, command)
    }
  }
}

/// The words of the command line, as bytes and as texts: names of files and arguments need not be
/// UTF-8.
enum CommandWords {
  static var all: [[UInt8]] {
    (0..<Int(CommandLine.argc)).map { index in
      guard let word = CommandLine.unsafeArgv[index] else { return [] }
      // A C string that lives as long as the process.
      return Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(
        UInt8.init(bitPattern:))
    }
  }

  /// As people read them.
  static var texts: [String] { all.map { String(escaping: $0) } }

  /// Refuses a word that is no text, for commands whose words end up in requests and settings.
  static func requireTexts(for command: Command) throws(CommandEnd) {
    for word in all where ByteString(word).text == nil {
      throw .wrongUsage("the argument '\(String(escaping: word))' is not valid UTF-8", command)
    }
  }
}
