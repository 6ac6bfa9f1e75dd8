import LullLibC
import LullArguments
import LullCore
import LullHost

/// The description of a command, from which help, completion and dispatch are derived.
///
/// Each command is defined next to its implementation, and listed in `all`.
struct Command: Sendable {
  typealias Form = (usage: String, text: String)
  typealias Work = @Sendable (ArraySlice<String>, Command) throws(CommandEnd) -> Int32

  /// The section of the overview that lists the command.
  enum Group: String, CaseIterable {
    case ask = "Send requests"
    case keep = "State on disk"
    case describe = "Describe APIs"
    case script = "Run scripts"
    case help = "Help"
  }

  /// The kind of arguments after the command, for completion.
  enum Words {
    case files
    /// The arguments are options of the command, and files.
    case optionsAndFiles
    /// The arguments are options of the command.
    case options
    /// The arguments are a resource (an API and a path), and options.
    case target
    /// The arguments are a call of an API, and its parameters.
    case call
    case apisAndFiles
    /// The arguments are a command, or an API and one of its calls.
    case subject
    /// The arguments are commands and help topics.
    case commands
    case of([String])
    /// The first argument is one of these words. Files and options of the command follow.
    case kindsAndFiles([String])
  }

  let name: String
  /// A short description.
  let summary: String
  let group: Group
  /// The forms of the command line. Each consists of the usage after `lull` and a description.
  /// Commands without forms are listed by name on one line.
  let forms: [Form]
  /// The number of forms that the short overview shows. If it is 0, the overview shows only the
  /// command's name, in one line with other commands.
  let briefForms: Int
  let words: Words
  /// Whether arguments may be bytes that are not UTF-8, such as file names.
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

  /// All commands in the order of the overview.
  static let all: [Command] = [
    .get, .query, .post, .put, .patch, .delete, .head, .options, .call, .watch, .changed,
    .cache, .limits, .share, .login, .logout,
    .apis, .explain, .check, .diff, .import, .export, .mock, .types, .drift, .trust,
    .describe, .skill,
    .run, .test, .repl,
    .demo, .doctor, .completion, .help,
  ]

  /// The commands named like HTTP methods.
  static let verbs: [Command] = [.get, .query, .post, .put, .patch, .delete, .head, .options]

  /// The command with this name. `nil` if there is none.
  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// The arguments of the command. Created only when needed.
  var spec: ArgumentSpec { makeSpec().withErrors }

  /// The page of `lull help COMMAND`: all options, with details.
  var manual: String { ArgumentHelp.text(of: spec, hasDetails: true) }

  /// The page of `--help`: at most 40 lines.
  var page: String { ArgumentHelp.page(of: spec) }

  /// Runs the command and returns the exit code.
  ///
  /// - Parameter words: The name of the command and its arguments. The names `run` and `repl` can
  ///   be omitted.
  func run(_ words: ArraySlice<String>) throws(CommandEnd) -> Int32 {
    if !takesBytes { try CommandWords.requireTexts(for: self) }
    return try work(words, self)
  }
}

/// The reason why a command line does not run a command.
enum CommandEnd: Error {
  /// A help page was requested: the page of the command, or the overview if the value is `nil`.
  case help(Command?)
  /// A help page was requested.
  case page(String)
  case version
  /// An error has been reported. The value is the exit code.
  case told(Int32)
  /// An error message, and the command whose help page describes the correct usage.
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
  /// Parses the arguments after a command's name.
  ///
  /// - Parameters:
  ///   - command: The command whose help page is named in errors.
  ///   - checksRules: Whether the rules of options are checked. False if defaults are added first.
  func read(
    _ words: some Collection<String>, for command: Command, checksRules: Bool = true
  ) throws(CommandEnd) -> ParsedArguments {
    let spec = withErrors
    do throws(ArgumentParser.End) {
      let parsed = try ArgumentParser.parse(Array(words), by: spec, checksRules: checksRules)
      spec.useErrorFormat(parsed)
      return parsed
    } catch {
      throw CommandEnd(error, command)
    }
  }

  /// Parses the options at the front of `words` and removes them.
  func takeLeading(from words: inout ArraySlice<String>, for command: Command) throws(CommandEnd)
    -> ParsedArguments
  {
    let spec = withErrors
    do throws(ArgumentParser.End) {
      let parsed = try ArgumentParser.takeLeading(&words, by: spec)
      spec.useErrorFormat(parsed)
      return parsed
    } catch {
      throw CommandEnd(error, command)
    }
  }
}

/// The command line as bytes and as text. File names and arguments do not have to be UTF-8.
enum CommandWords {
  /// All words of the command line, except for an option `--errors` before the command.
  static var all: [[UInt8]] {
    let whole = whole
    return Array(whole.prefix(1) + whole.dropFirst(1 + leading.count))
  }

  /// The words of the option `--errors` before the command.
  static var leading: [String] {
    let words = whole.dropFirst().map { String(escaping: $0) }
    return Array(words.prefix(ErrorFormat.leadingCount(in: words[...])))
  }

  private static var whole: [[UInt8]] {
    (0..<Int(CommandLine.argc)).map { index in
      guard let word = CommandLine.unsafeArgv[index] else { return [] }
      // A C string with the lifetime of the process.
      return Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(
        UInt8.init(bitPattern:))
    }
  }

  /// The words as readable text.
  static var texts: [String] { all.map { String(escaping: $0) } }

  /// Rejects words that are not UTF-8, for commands that use them in requests and settings.
  static func requireTexts(for command: Command) throws(CommandEnd) {
    for word in all where ByteString(word).text == nil {
      throw .wrongUsage("the argument '\(String(escaping: word))' is not valid UTF-8", command)
    }
  }
}
