import LullArguments
import LullCore
import LullSystem

/// Warnings about what a line of a script says, on standard error: each line is warned about once.
package struct LineWarnings {
  /// Who writes lines by program could write any number of them.
  private static let limit = 100
  private var known: Set<String> = []

  /// Warnings of fields that wait for what comes next, by what is warned about; nil: they are written at
  /// once.
  private var held: [(key: String, text: String, hasHint: Bool)]?
  /// Fields that were there while warnings are held.
  private var found: Set<String> = []

  /// - Parameter subject: What the warning is about, where one line may have several.
  mutating func warn(_ text: String, at place: SourcePlace, about subject: String = "") {
    write(LineWarnings.line(text, place), of: LineWarnings.key(place, subject))
  }

  private mutating func write(_ line: String, of key: String) {
    guard known.count < LineWarnings.limit, known.insert(key).inserted else { return }
    StandardError.write(line)
  }

  private static func key(_ place: SourcePlace, _ subject: String) -> String {
    "\(place.file):\(place.line)" + (subject.isEmpty ? "" : ":\(subject)")
  }

  private static func line(_ text: String, _ place: SourcePlace) -> String {
    let line = place.line > 0 ? "\(place.line):" : ""
    return "lull: warning: \(place.file):\(line) \(text)\n"
  }

  // MARK: Fields

  /// The part of a dotted name that no row has.
  package struct MissingPart {
    let name: String
    /// What stands before it and behind it.
    let head: String
    let tail: String
    /// The names that are there in its place.
    let known: [String]

    /// The whole name with the nearest one in its place.
    package var suggestion: String? {
      NearestName.suggestion(for: name, among: known).map { near in
        [head, near, tail].filter { !$0.isEmpty }.joined(separator: ".")
      }
    }
  }

  /// Warns that no row has a field, which may be misspelt.
  mutating func warn(
    ofField field: String, among names: some Sequence<String>, by function: String,
    at place: SourcePlace
  ) {
    warn(
      ofField: field,
      missing: MissingPart(name: field, head: "", tail: "", known: Array(names)), by: function,
      at: place)
  }

  /// The same of a part of a name.
  mutating func warn(
    ofField field: String, missing part: MissingPart, by function: String, at place: SourcePlace
  ) {
    let key = LineWarnings.key(place, "\(function) \(field)")
    guard !known.contains(key), !found.contains(key) else { return }
    let hint = part.suggestion.map { " (did you mean '\(LogText.part($0, limit: 60))'?)" } ?? ""
    let line = LineWarnings.line(
      "\(function): no row has '\(LogText.part(field, limit: 60))'\(hint)", place)
    guard let held else { return write(line, of: key) }
    if let place = held.firstIndex(where: { $0.key == key }) {
      // Other rows may have the name that was meant.
      if !held[place].hasHint { self.held?[place] = (key, line, !hint.isEmpty) }
    } else if held.count < LineWarnings.limit {
      self.held?.append((key, line, !hint.isEmpty))
    }
  }

  /// A row has that field.
  mutating func note(fieldFound field: String, by function: String, at place: SourcePlace) {
    guard held != nil, found.count < LineWarnings.limit else { return }
    found.insert(LineWarnings.key(place, "\(function) \(field)"))
  }

  /// Holds warnings of fields until `release`: rows that are yet to come may have them.
  package mutating func hold() {
    if held == nil { held = [] }
  }

  /// Writes those of fields that no row had meanwhile.
  package mutating func release() {
    let due = held ?? []
    held = nil
    for warning in due where !found.contains(warning.key) { write(warning.text, of: warning.key) }
    found = []
  }
}
