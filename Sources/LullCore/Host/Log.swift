/// Category logging of one runtime; nothing is logged until a category is enabled. (LOG-01 to LOG-05)
///
/// Messages of a disabled category are not even built. Home thread only. The default output is one
/// line per message line on standard error with a padded category prefix; a handler replaces it.
public final class Log {
  public enum Category: String, CaseIterable, Sendable {
    case network
    case networkDetails = "network_details"
    case pipeline
    case stateChanges = "state_changes"
    case observers
    case staleness
    case cache
    case configuration
  }

  public var enabled: Set<Category> = [] {
    didSet { changes.note() }
  }
  /// Receives each message instead of standard error.
  public var handler: ((Category, String) -> Void)?

  private let changes: ChangeCount

  package init(changes: ChangeCount) {
    self.changes = changes
  }

  package func callAsFunction(_ category: Category, _ message: @autoclosure () -> String) {
    guard !enabled.isEmpty, enabled.contains(category) else { return }
    let text = message()
    if let handler {
      handler(category, text)
    } else {
      Log.writeToStandardError(category, text)
    }
  }

  /// The categories a preset or category name stands for, or nil if there is none of that name.
  /// (LOG-03)
  public static func categories(named name: String) -> Set<Category>? {
    switch name {
    case "common": [.network, .stateChanges, .staleness]
    case "detailed": Set(Category.allCases).subtracting([.networkDetails])
    case "all": Set(Category.allCases)
    default: Category(rawValue: name).map { [$0] }
    }
  }

  /// What a server sends must not move the cursor of whoever reads the log.
  private static func visible(_ line: Substring) -> String {
    guard line.unicodeScalars.contains(where: isControl) else { return String(line) }
    var text = ""
    for scalar in line.unicodeScalars {
      if isControl(scalar) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    (scalar.value < 32 && scalar.value != 9) || (127..<160).contains(scalar.value)
  }

  package static func writeToStandardError(_ category: Category, _ text: String) {
    let width = 16
    let name = category.rawValue
    let prefix = "[lull " + name + "]" + String(repeating: " ", count: max(0, width - name.count))
    var output = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      output += prefix + " " + visible(line) + "\n"
    }
    StandardError.write(output)
  }
}
