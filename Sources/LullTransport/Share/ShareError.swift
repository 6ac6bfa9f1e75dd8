import LullCore

/// An invalid setting of a shared server, described in one line without credentials.
public struct ShareError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of the error, and of the solution.
  public let description: String
}

/// An error reply which means that the server cannot be used, now or on this connection. Other
/// errors concern only one command.
struct ShareRefusal {
  let message: String

  /// Returns nil if the error reply does not mean that the server cannot be used.
  init?(_ words: String) {
    guard let meaning = ShareRefusal.meaning(of: words) else { return nil }
    message = "\(meaning) (\(LogText.part(words, limit: 120)))"
  }

  private static func meaning(of words: String) -> String? {
    let kind = words.prefix { $0 != " " }
    if let meaning = meanings[String(kind)] { return meaning }
    // Errors inside scripts, as servers before 7.0 report them.
    for (kind, meaning) in meanings where words.contains("-\(kind) ") { return meaning }
    return words.hasPrefix("ERR max number of clients") ? "it has too many clients" : nil
  }

  private static let meanings = [
    "READONLY": "it is a replica now, which does not accept writes",
    "LOADING": "it is still loading its data",
    "MASTERDOWN": "it is a replica that has lost its master",
    "CLUSTERDOWN": "its cluster is down",
    "OOM": "it is full",
    "MISCONF": "it cannot save its data and does not accept writes",
    "NOREPLICAS": "it has too few replicas to accept writes",
    "BUSY": "it is busy with a script",
    "NOAUTH": "it requires a password",
    "WRONGPASS": "it does not accept the user and password",
    "NOPERM": "its user lacks the required permissions",
  ]
}

/// A script error which means that a key holds data that was not stored by Lull. The error concerns
/// only that key, not the server.
enum ShareDamage {
  /// Texts that occur in the messages of these errors, from servers and from their Lua
  /// interpreters.
  private static let signs = [
    "WRONGTYPE", "is not an integer", "is not a valid float", "is not a float",
    "increment or decrement",
    "attempt to ", "bad argument ", "out of range",
  ]

  static func isMeant(by words: String) -> Bool { signs.contains { words.contains($0) } }
}
