/// A failure in the HTML report: a heading with the first line, coloured differences between
/// expected and actual values, the source line and the stack trace.
enum HTMLFailure {
  static func text(_ failure: String) -> String {
    var lines = HTMLText.bounded(failure).replacing("\r\n", with: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard var first = lines.first else { return "" }
    if first.hasPrefix("lull: ") { first = first.dropFirst(6) }
    var text =
      "<div class=\"failure\">\n<p class=\"problem\(first.count > 160 ? " long" : "")\">\(difference(String(first)))</p>\n"
    var isTrace = false
    let rest = lines.dropFirst().map { line -> String in
      if line.hasPrefix("stack traceback:") { isTrace = true }
      return isTrace ? HTMLText.tag("span", "trace", String(line)) : self.line(String(line))
    }
    if !rest.isEmpty {
      text += "<pre tabindex=\"0\">\(rest.joined(separator: "\n"))</pre>\n"
    }
    return text + "</div>\n"
  }

  private static func line(_ line: String) -> String {
    let start = line.prefix { $0 == " " }
    let body = line.dropFirst(start.count)
    // The line belongs to a snapshot: it is stored (`-`) or current (`+`).
    if body.hasPrefix("- ") { return start + HTMLText.tag("span", "want", String(body)) }
    if body.hasPrefix("+ ") { return start + HTMLText.tag("span", "got", String(body)) }
    // The line shows source code, as in `12 | source`, or the marker below it.
    let number = body.prefix { $0.isASCII && $0.isNumber }
    if body.dropFirst(number.count).drop(while: { $0 == " " }).first == "|" {
      return HTMLText.tag("span", body.contains("^") && number.isEmpty ? "mark" : "source", line)
    }
    return difference(line)
  }

  /// Colours the two values in lines such as `path: expected A, got B`. Other lines are returned
  /// unchanged.
  private static func difference(_ line: String) -> String {
    if let expected = line.firstRange(of: "expected "),
      let got = line[expected.upperBound...].firstRange(of: ", got ")
    {
      return head(line[..<expected.lowerBound]) + "expected "
        + HTMLText.tag("span", "want", String(line[expected.upperBound..<got.lowerBound]))
        + ", got " + HTMLText.tag("span", "got", String(line[got.upperBound...]))
    }
    for (word, kind) in [("not expected: ", "got"), ("missing: ", "want")] {
      guard let range = line.firstRange(of: word) else { continue }
      return head(line[..<range.lowerBound]) + word
        + HTMLText.tag("span", kind, String(line[range.upperBound...]))
    }
    // The line contains a recorded value, an arrow and the actual value.
    if line.hasPrefix("  "), let arrow = line.firstRange(of: " → "),
      let colon = line.firstRange(of: ": "), colon.upperBound <= arrow.lowerBound
    {
      return head(line[..<colon.upperBound])
        + HTMLText.tag("span", "want", String(line[colon.upperBound..<arrow.lowerBound])) + " → "
        + HTMLText.tag("span", "got", String(line[arrow.upperBound...]))
    }
    return HTMLText.escaped(line)
  }

  private static func head(_ text: Substring) -> String {
    text.allSatisfy { $0 == " " } ? String(text) : HTMLText.tag("b", String(text))
  }
}
