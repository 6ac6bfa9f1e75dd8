import LullSystem

/// Category logging of one runtime; nothing is logged until a category is enabled. (LOG-01 to LOG-05)
///
/// Messages of a disabled category are not even built. Home thread only. The default output is one
/// line per message line on standard error with a padded category prefix; a handler replaces it.
public final class Log {
  /// What messages are about, called as Lua and the command call it.
  public enum Category: String, CaseIterable, Sendable {
    /// Each request with its outcome, in a line.
    case network
    /// Headers and bodies of these, credentials masked.
    case networkDetails = "network_details"
    /// What each transformer made of a response.
    case pipeline
    /// How data and errors of resources change, and the events of that.
    case stateChanges = "state_changes"
    /// Observers that come, go and are told of something.
    case observers
    /// Why something was loaded, or was not.
    case staleness
    /// What caches were asked for, had, and were not given.
    case cache
    /// Which blocks made a resource's configuration.
    case configuration
  }

  /// Those of which messages are written; none at first. Lua: `lull.log(…)`.
  public var enabled: Set<Category> = [] {
    didSet {
      isSilent = enabled.isEmpty
      changes.note()
    }
  }
  /// Whether no category is enabled; asking for the set would hold it meanwhile.
  package private(set) var isSilent = true
  /// Receives each message instead of standard error.
  public var messageHandler: ((Category, String) -> Void)?

  private let changes: ChangeCount

  package init(changes: ChangeCount) {
    self.changes = changes
  }

  /// Gives a message to the handler, or writes it to standard error, if the category is on; else the message
  /// is not even made. (LOG-02)
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

  /// The categories a preset or category name stands for, or nil if there is none of that name.
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
    // By scalars: as a character a line's end with a return before it is another one.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      output += prefix + " " + visible(Substring(line)) + "\n"
    }
    StandardError.write(output)
  }
}

extension Log.Category {
  /// What helps with most questions: network, changes of state, staleness. (LOG-03)
  public static let common: Set<Log.Category> = [.network, .stateChanges, .staleness]

  /// All but headers and bodies.
  public static let detailed = all.subtracting([.networkDetails])

  /// Everything, headers and bodies too. (LOG-03)
  public static let all = Set(allCases)
}

/// So that `log.enabled = .common` is enough.
extension Set<Log.Category> {
  /// As `Log.Category.common`.
  public static var common: Set<Log.Category> { Log.Category.common }
  /// As `Log.Category.detailed`.
  public static var detailed: Set<Log.Category> { Log.Category.detailed }
  /// As `Log.Category.all`.
  public static var all: Set<Log.Category> { Log.Category.all }
}
