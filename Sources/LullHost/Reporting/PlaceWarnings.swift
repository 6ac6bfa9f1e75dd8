import LullCore
import LullSystem

/// Warnings about what a line of a script says, on standard error: each line is warned about once.
struct PlaceWarnings {
  /// Who writes lines by program could write any number of them.
  private static let limit = 100
  private var known: Set<String> = []

  mutating func warn(_ text: String, at place: SourcePlace) {
    guard known.count < PlaceWarnings.limit, known.insert("\(place.file):\(place.line)").inserted
    else { return }
    StandardError.write("lull: warning: \(place.file):\(place.line): \(text)\n")
  }
}
