import LullArguments
import LullCore
import LullLibC
import Synchronization

/// The format of messages on standard error. It is set by `--errors` or the variable `LULL_ERRORS`.
/// (EJS-01)
///
/// The option is written before the command or among its options. After the name of a script, it is
/// an argument of the script.
enum ErrorFormat: String, CaseIterable {
  case text
  case json

  static let option = "--errors"
  static let variable = "LULL_ERRORS"

  static func argument(category: String?) -> Argument {
    Argument(
      names: [option], placeholder: "FORMAT", choices: allCases.map(\.rawValue),
      category: category, help: "Write errors as text (default) or as JSON.",
      details: """
        With json each message is one JSON object on a line of standard error. The last line of a command \
        that fails has the key exit. LULL_ERRORS=json has the same effect.
        """)
  }

  /// The format before the options of the command are read.
  private static let initial = Mutex(ErrorFormat.text)

  func use() { ErrorLines.turn(on: self == .json) }

  /// Uses the format that an option before the command sets, or else the format in the variable
  /// `LULL_ERRORS`.
  ///
  /// - Parameters:
  ///   - leading: The words of the option before the command.
  ///   - words: The command and its arguments.
  static func begin(
    leading: [String], words: some Collection<String>
  ) throws(CommandEnd) {
    defer { initial.withLock { $0.use() } }
    guard leading.isEmpty else {
      let format = try value(of: leading)
      return initial.withLock { $0 = format }
    }
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return }
    if let format = ErrorFormat(rawValue: text) {
      initial.withLock { $0 = format }
    } else if scan(words) == nil {
      throw .wrongUsage("\(variable) must be text or json, got '\(text)'", nil)
    }
  }

  /// Uses the format that was set before the command. Needed for a call that has its own parameter
  /// named `errors`.
  static func useInitial() { initial.withLock { $0 }.use() }

  /// Uses the format that the option `--errors` sets in a command line that is not parsed yet or
  /// can't be parsed.
  static func useScanned(_ words: some Collection<String>) { scan(words)?.use() }

  private static func value(of leading: [String]) throws(CommandEnd) -> ErrorFormat {
    let spec = ArgumentSpec(name: "lull", description: "", arguments: [argument(category: nil)])
    do throws(ArgumentParser.End) {
      let parsed = try ArgumentParser.parse(leading, by: spec)
      return parsed.text(option).flatMap { ErrorFormat(rawValue: $0) } ?? .text
    } catch {
      if let format = scan(leading) { initial.withLock { $0 = format } }
      guard case .problem(let text) = error else { return .text }
      throw .wrongUsage(text, nil)
    }
  }

  private static func scan(_ words: some Collection<String>) -> ErrorFormat? {
    var found: ErrorFormat?
    var previous = ""
    for word in words {
      let text =
        previous == option
        ? word : word.hasPrefix(option + "=") ? String(word.dropFirst(option.count + 1)) : ""
      found = ErrorFormat(rawValue: text) ?? found
      previous = word
    }
    return found
  }

  /// Returns the number of words before the command that belong to the option.
  static func leadingCount(in words: ArraySlice<String>) -> Int {
    var index = words.startIndex
    while index < words.endIndex {
      if words[index] == option {
        index = min(index + 2, words.endIndex)
      } else if words[index].hasPrefix(option + "=") {
        index += 1
      } else {
        break
      }
    }
    return index - words.startIndex
  }
}

extension ArgumentSpec {
  /// The specification with the option `--errors`, which all commands have. A call parameter with
  /// the same option name replaces this option. (PAR-16)
  var withErrors: ArgumentSpec {
    guard option(ErrorFormat.option) == nil else { return self }
    var spec = self
    spec.arguments.append(ErrorFormat.argument(category: nil))
    return spec
  }

  /// Uses the format that the option `--errors` sets in the parsed arguments of a command.
  func useErrorFormat(_ parsed: ParsedArguments) {
    let known = ErrorFormat.allCases.map(\.rawValue)
    guard option(ErrorFormat.option)?.choices == known else { return ErrorFormat.useInitial() }
    parsed.text(ErrorFormat.option).flatMap { ErrorFormat(rawValue: $0) }?.use()
  }
}
