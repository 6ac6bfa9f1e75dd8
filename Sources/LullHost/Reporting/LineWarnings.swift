import LullArguments
import LullCore
import LullSystem

/// Writes warnings about the code on a script line to standard error, at most once for each line
/// and subject.
package struct LineWarnings {
  /// The maximum number of warnings. Without a limit, a generated script could cause any number of
  /// warnings.
  private static let limit = 100
  private var known: Set<String> = []

  /// The warnings about fields that are held back until later rows have been checked; `key`
  /// identifies the field. The property is nil if warnings are written immediately.
  private var held: [(key: String, text: String, hasHint: Bool)]?
  /// The keys of all fields that any row has had since warnings were first held back.
  private var found: Set<String> = []

  /// Writes a warning, unless there already was a warning for the same line and subject.
  ///
  /// - Parameter subject: distinguishes several warnings for the same line.
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

  /// The part of a dotted field name that exists in no row.
  package struct MissingPart {
    let name: String
    /// The parts of the dotted name before and after the missing part.
    let head: String
    let tail: String
    /// The names that rows have at the position of the missing part.
    let known: [String]

    /// The whole dotted name with the missing part replaced by the most similar known name. It is
    /// nil if no known name is similar.
    package var suggestion: String? {
      NearestName.suggestion(for: name, among: known).map { near in
        [head, near, tail].filter { !$0.isEmpty }.joined(separator: ".")
      }
    }
  }

  /// Warns that no row has a field, because its name may be misspelt.
  mutating func warn(
    ofField field: String, among names: some Sequence<String>, by function: String,
    at place: SourcePlace
  ) {
    warn(
      ofField: field,
      missing: MissingPart(name: field, head: "", tail: "", known: Array(names)), by: function,
      at: place)
  }

  /// Warns that no row has a part of a dotted name.
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
      // The text of an earlier warning is replaced if it has no suggestion, because other rows may
      // have the intended name.
      if !held[place].hasHint { self.held?[place] = (key, line, !hint.isEmpty) }
    } else if held.count < LineWarnings.limit {
      self.held?.append((key, line, !hint.isEmpty))
    }
  }

  /// Records that a row has the field. If a warning about the field is held back, it is not
  /// written.
  mutating func note(fieldFound field: String, by function: String, at place: SourcePlace) {
    guard held != nil, found.count < LineWarnings.limit else { return }
    found.insert(LineWarnings.key(place, "\(function) \(field)"))
  }

  /// Holds back warnings about fields until `release()`, because later rows may have these fields.
  package mutating func hold() {
    if held == nil { held = [] }
  }

  /// Writes the warnings that were held back. A warning is left out if a row had its field in the
  /// meantime.
  package mutating func release() {
    let due = held ?? []
    held = nil
    for warning in due where !found.contains(warning.key) { write(warning.text, of: warning.key) }
    found = []
  }
}
