import LullCore

/// An answer by which a server says that it cannot be used, now or by this connection: those of others say
/// something about one command.
struct ShareRefusal {
  let message: String

  /// nil if the server can be used.
  init?(_ words: String) {
    guard let meaning = ShareRefusal.meaning(of: words) else { return nil }
    message = "\(meaning) (\(LogText.part(words, limit: 120)))"
  }

  private static func meaning(of words: String) -> String? {
    let kind = words.prefix { $0 != " " }
    if let meaning = meanings[String(kind)] { return meaning }
    // What scripts meet, as servers before 7.0 tell of it.
    for (kind, meaning) in meanings where words.contains("-\(kind) ") { return meaning }
    return words.hasPrefix("ERR max number of clients") ? "it has too many clients" : nil
  }

  private static let meanings = [
    "READONLY": "it is a replica now, which takes no writes",
    "LOADING": "it is still loading its data",
    "MASTERDOWN": "it is a replica that has lost its master",
    "CLUSTERDOWN": "its cluster is down",
    "OOM": "it is full",
    "MISCONF": "it cannot save its data and takes no writes",
    "NOREPLICAS": "it has too few replicas to take writes",
    "BUSY": "it is busy with a script",
    "NOAUTH": "it asks for a password",
    "WRONGPASS": "it does not accept the user and password",
    "NOPERM": "this user may not do what is needed",
  ]
}
