import LullCore
import LullSystem

/// The result of comparing API files, in its output formats.
struct DifferenceReport {
  struct File {
    let before: String
    let after: String
    let difference: APIDifference
  }

  var files: [File] = []

  var isEmpty: Bool { files.allSatisfy(\.difference.isEmpty) }

  /// The maximum number of URLs that an entry lists. The others are only counted.
  static let shownTargets = 3

  // MARK: For people

  var text: String {
    files.filter { !$0.difference.isEmpty }.map(DifferenceReport.text).joined(separator: "\n")
  }

  private static func text(of file: File) -> String {
    var lines = ["\(file.before) → \(file.after)"]
    let difference = file.difference
    if let change = difference.change { lines.append("  file: \(change.rawValue)") }
    for (name, isAdded) in difference.environments {
      lines.append("  environment \(name): \(isAdded ? "added" : "removed")")
    }
    for use in difference.settings {
      let change = use.change
      lines.append(
        "  \(change.name)  \(change.before?.value ?? "default") → \(change.after?.value ?? "default")"
      )
      if let side = change.before { lines.append("    - \(side.place ?? "default")") }
      if let side = change.after { lines.append("    + \(side.place ?? "default")") }
      if let places = places(of: use) { lines.append("    \(places)") }
    }
    for call in difference.calls {
      lines.append("  call \(shownName(of: call)): \(summary(of: call))")
      for detail in call.details {
        lines.append("    \(detail.what)  \(detail.before ?? "none") → \(detail.after ?? "none")")
      }
    }
    return lines.map { ControlCharacters.shown(in: $0) + "\n" }.joined()
  }

  static func shownName(of call: APIDifference.CallChange) -> String {
    call.name + (call.environment.map { " in \($0)" } ?? "")
  }

  static func summary(of call: APIDifference.CallChange) -> String {
    switch (call.before, call.after) {
    case (let before?, let after?): "changed  (\(before.place) → \(after.place))"
    case (nil, let call?): "added  \(call.method) \(call.path)  (\(call.place))"
    case (let call?, nil): "removed  \(call.method) \(call.path)  (\(call.place))"
    case (nil, nil): ""
    }
  }

  /// The URLs and environments of an entry. `nil` if the entry applies to the whole file.
  static func places(of use: APIDifference.Use) -> String? {
    var words: [String] = []
    let count = use.targets.count
    if count > 0 {
      let named = use.targets.prefix(shownTargets).joined(separator: ", ")
      let rest = count > shownTargets ? ", and \(count - shownTargets) more" : ""
      words.append("\(count) URL\(count == 1 ? "" : "s"): \(named)\(rest)")
    }
    if use.environments != [nil] {
      let names = use.environments.map { $0.map { "@\($0)" } ?? "without an environment" }
      words.append(names.joined(separator: ", "))
    }
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }
}
