/// What was typed before that begins as a line does: the rest of it, to be taken or not.
struct Suggestions {
  private static let kept = 5000
  /// The latest last.
  private var entries: [String] = []

  mutating func remember(_ entry: String) {
    entries.append(entry)
    if entries.count > 2 * Suggestions.kept {
      entries.removeFirst(entries.count - Suggestions.kept)
    }
  }

  /// Of the latest that begins so and goes on; nil if there is none, or nothing to go by.
  func rest(after text: String) -> String? {
    guard text.utf8.contains(where: { $0 > 32 }) else { return nil }
    for entry in entries.reversed()
    where entry.utf8.count > text.utf8.count && entry.utf8.starts(with: text.utf8) {
      return String(decoding: entry.utf8.dropFirst(text.utf8.count), as: UTF8.self)
    }
    return nil
  }
}
