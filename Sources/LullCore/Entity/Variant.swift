/// What of its request an answer depends on: the values that the headers had which its `Vary` names.
/// (AGE-05; RFC 9111, section 4.1)
///
/// Values that hold secrets count by their masks.
package struct Variant: Sendable, Equatable {
  /// For each name in their order, `name: value`, or the name alone where it was not sent; `*` for what
  /// depends on more than headers.
  private let lines: [String]

  /// nil of an answer without `Vary`.
  ///
  /// - Parameter isPart: whether it is a part (206), which depends on the `Range` that was asked for.
  package init?(of answer: Headers, to request: Headers, isPart: Bool = false) {
    let names = Variant.names(answer) + (isPart ? ["range"] : [])
    guard !names.isEmpty else { return nil }
    lines = names.map { Variant.line($0, request) }
  }

  /// Whether an answer of which this is the variant is one to a request with those headers.
  package func answers(_ request: Headers) -> Bool {
    lines.allSatisfy { line in
      let name = line.prefix { $0 != ":" }
      return name != "*" && Variant.line(String(name), request) == line
    }
  }

  /// In lower case, each once.
  private static func names(_ answer: Headers) -> [String] {
    let names = answer.listedNames("vary")
    return names.contains("*") ? ["*"] : names.sorted()
  }

  /// Repeated headers are one, and blanks around commas mean nothing.
  private static func line(_ name: String, _ request: Headers) -> String {
    let values = request.values(name)
    guard !values.isEmpty else { return name }
    let parts = values.joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    return name + ":" + parts.map { $0.trimmingBlanks }.joined(separator: ",")
  }

  /// One text for each variant, the same for the same; for a digest.
  package var text: String { lines.joined(separator: "\n") }
}
