import CLullBridge
import LullLibC
import LullArguments
import LullCore
import LullSystem

/// The log of a script (`lull.log`): its enabled categories, and the script's handler for messages.
///
/// If there is a handler, messages are passed to it. A message is written to standard error if the
/// handler fails, or if the message is logged while the handler is running. Home thread only.
package final class ScriptLog {
  private unowned let reporter: Reporter
  private let log: Log
  /// The ID of the stored function that handles messages, if the script set one.
  private(set) var handler: Int64?
  private var isHandling = false
  /// The names of the enabled categories, sorted.
  package private(set) var enabled: [String] = []

  init(_ reporter: Reporter, _ log: Log) {
    self.reporter = reporter
    self.log = log
  }

  // MARK: Categories

  /// Enables the categories and presets with these names, and disables all other categories.
  func enable(_ names: [String]) throws(Misuse) {
    var categories: Set<Log.Category> = []
    for name in names {
      guard let named = Log.categories(named: name) else {
        let known = Log.Category.allCases.map(\.rawValue) + ["common", "detailed", "all"]
        if let near = NearestName.suggestion(for: name, among: known) {
          throw .message("unknown log category '\(name)' (did you mean '\(near)'?)")
        }
        throw .message(
          "unknown log category '\(name)'; there are \(known.joined(separator: ", "))")
      }
      categories.formUnion(named)
    }
    log.enabled = categories
    enabled = categories.map(\.rawValue).sorted()
  }

  /// Enables the categories and presets whose names are in a text, separated by commas or spaces.
  /// Disables all other categories. Returns an error message if a name is unknown, otherwise nil.
  package func set(_ text: String) -> String? {
    var names = text.split { $0 == "," || $0 == " " }.map(String.init)
    if names == ["off"] { names = [] }
    do throws(Misuse) {
      try enable(names)
      return nil
    } catch {
      return error.text
    }
  }

  /// Enables the categories in the environment variable `LULL_LOG`, such as
  /// `LULL_LOG=network,staleness`.
  func enableFromEnvironment() {
    guard let text = getenv("LULL_LOG").map({ String(cString: $0) }), !text.isEmpty else { return }
    let names = text.split { $0 == "," || $0 == " " }.map(String.init)
    do throws(Misuse) {
      try enable(names)
    } catch {
      StandardError.write("lull: LULL_LOG: \(error.text)\n")
    }
  }

  // MARK: The handler

  /// Sets the script's handler to the stored function with that ID. If the ID is nil, messages are
  /// written to standard error.
  func setHandler(_ id: Int64?) throws(Misuse) {
    guard id.map({ reporter.stored.pin($0) }) ?? true else { throw .message("not enough memory") }
    // The previous handler is read only now, because a finaliser that runs during the pinning may
    // set another handler.
    let previous = handler
    handler = id
    log.messageHandler = id.map { id in
      { [unowned self] category, text in handle(id, category, text) }
    }
    if let previous { reporter.stored.unpin(previous) }
  }

  private func handle(_ id: Int64, _ category: Log.Category, _ text: String) {
    guard !isHandling, !reporter.bridge.isClosed else {
      return Log.writeToStandardError(category, text)
    }
    isHandling = true
    defer { isHandling = false }
    let arguments: [LuaValue] = [.string(category.rawValue), .string(text)]
    let answer = reporter.coroutines.ask(Callable(id: id), arguments, kind: "log handler") { _ in }
    switch answer {
    case .success: break
    case .failure(.gone): Log.writeToStandardError(category, text)
    case .failure(.failed(let failure)):
      Log.writeToStandardError(category, text)
      reporter.report(failure, in: reporter.stored.named("log handler", id))
    }
  }
}
