extension ResourceExplanation: CustomStringConvertible {
  /// A page for people: each setting with its value and where that comes from, then what a load would do.
  public var description: String { text(callingLoad: "loadIfNeeded", failure: "thrown") }

  /// - Parameters:
  ///   - name: what the load that would do what is needed is called.
  ///   - failure: what a block that fails has done.
  package func text(callingLoad name: String, failure word: String) -> String {
    var text = "\(method) \(url)\n"
    if let environment {
      let places = [("", environment.place), ("base_url ", environment.basePlace)]
      let shown = places.compactMap { word, place in place.map { "\(word)\($0)" } }
      text += "environment \(environment.name)  \(shown.joined(separator: ", "))\n"
    }
    text += "\nSettings\n"
    text +=
      isInvalid
      ? "  none: the resource has no URL\n"
      : Self.aligned(settings.map { ($0.name, $0.value, $0.source?.description ?? "default") })
    for failure in failures {
      text += "  \(failure.source): \(failure.error.summary); every request fails\n"
    }
    if let load {
      let rows = load.rows(ofFailure: word).map { ($0.name, $0.value, "") }
      text += "\n\(name)\n" + Self.aligned(rows)
    }
    return text
  }

  private static func aligned(_ rows: [(name: String, value: String, place: String)]) -> String {
    let names = rows.map(\.name.count).max() ?? 0
    // What is longer than most pushes only its own place aside.
    let values = min(rows.map(\.value.count).max() ?? 0, 40)
    return rows.map { row in
      var line = "  " + row.name + String(repeating: " ", count: names - row.name.count + 2)
      line += row.value
      guard !row.place.isEmpty else { return line + "\n" }
      return line + String(repeating: " ", count: max(0, values - row.value.count) + 2) + row.place
        + "\n"
    }.joined()
  }
}
