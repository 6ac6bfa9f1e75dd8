import LullSystem

/// The log of one runtime, divided into categories. Nothing is logged until a category is enabled.
/// (LOG-01 to LOG-05)
///
/// Messages of a disabled category are not built. Home thread only. By default, each line of a
/// message is written to standard error after the padded name of its category. If `messageHandler`
/// is set, messages are passed to the handler instead.
public final class Log {
  /// The category of a message, named as in Lua and on the command line.
  public enum Category: String, CaseIterable, Sendable {
    /// Each request with its outcome, in one line.
    case network
    /// Headers and bodies of requests and responses, with credentials masked.
    case networkDetails = "network_details"
    /// The result of each transformer.
    case pipeline
    /// Changes of the data and errors of resources, and the events caused by these changes.
    case stateChanges = "state_changes"
    /// Added and removed observers, and the events they receive.
    case observers
    /// The reason why something was loaded or was not loaded.
    case staleness
    /// The lookups and results of caches, and the reason why something was not stored.
    case cache
    /// The configuration blocks that apply to a resource.
    case configuration
  }

  /// The enabled categories; none by default. Lua: `lull.log(…)`.
  public var enabled: Set<Category> = [] {
    didSet {
      isSilent = enabled.isEmpty
      changes.note()
    }
  }
  /// Whether no category is enabled. Stored as a separate property, because reading the set would
  /// retain it.
  package private(set) var isSilent = true
  /// Receives each message. If nil, messages are written to standard error.
  public var messageHandler: ((Category, String) -> Void)?

  private let changes: ChangeCount

  package init(changes: ChangeCount) {
    self.changes = changes
  }

  /// Passes a message to the handler, or writes it to standard error. If the category is disabled,
  /// the message is not built. (LOG-02)
  public func log(_ category: Category, _ message: @autoclosure () -> String) {
    guard isOn(category) else { return }
    write(category, message())
  }

  package func callAsFunction(_ category: Category, _ message: @autoclosure () -> String) {
    log(category, message())
  }

  private func write(_ category: Category, _ text: String) {
    if let messageHandler {
      messageHandler(category, text)
    } else {
      Log.writeToStandardError(category, text)
    }
  }

  package func isOn(_ category: Category) -> Bool { !isSilent && enabled.contains(category) }

  /// The log categories of a preset or of a single category, by name; nil if there is no such name.
  /// (LOG-03)
  public static func categories(named name: String) -> Set<Category>? {
    switch name {
    case "common": .common
    case "detailed": .detailed
    case "all": .all
    default: Category(rawValue: name).map { [$0] }
    }
  }

  private static func visible(_ line: some StringProtocol) -> String {
    ControlCharacters.shown(in: line)
  }

  package static func writeToStandardError(_ category: Category, _ text: String) {
    let width = 16
    let name = category.rawValue
    let prefix = "[lull " + name + "]" + String(repeating: " ", count: max(0, width - name.count))
    var output = ""
    // Split by scalars, because a CR LF is a single `Character`, different from LF.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      output += prefix + " " + visible(Substring(line)) + "\n"
    }
    StandardError.write(output)
  }
}

extension Log.Category {
  /// The categories that answer most questions: network, state changes and staleness. (LOG-03)
  public static let common: Set<Log.Category> = [.network, .stateChanges, .staleness]

  /// All categories except `networkDetails`, which logs headers and bodies.
  public static let detailed = all.subtracting([.networkDetails])

  /// All categories, including headers and bodies. (LOG-03)
  public static let all = Set(allCases)
}

/// Makes the presets available as members of a set, for example `log.enabled = .common`.
extension Set<Log.Category> {
  /// The same as `Log.Category.common`.
  public static var common: Set<Log.Category> { Log.Category.common }
  /// The same as `Log.Category.detailed`.
  public static var detailed: Set<Log.Category> { Log.Category.detailed }
  /// The same as `Log.Category.all`.
  public static var all: Set<Log.Category> { Log.Category.all }
}
