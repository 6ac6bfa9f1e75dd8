/// The parsed words of a command line. Values are stored by argument, in the order of the
/// specification.
package struct ParsedArguments: Sendable {
  let spec: ArgumentSpec
  /// For each argument with values, its texts in order. nil if the argument is not given.
  package internal(set) var texts: [[String]?]
  /// For each flag, the number of its occurrences, which `--no-x` resets to 0. nil if the flag is
  /// not given.
  package internal(set) var counts: [Int?]
  /// For each argument, the name with which it was first given. nil if the argument is not given.
  var typed: [String?]

  init(_ spec: ArgumentSpec) {
    self.spec = spec
    texts = Array(repeating: nil, count: spec.arguments.count)
    counts = Array(repeating: nil, count: spec.arguments.count)
    typed = Array(repeating: nil, count: spec.arguments.count)
  }

  func index(_ name: String) -> Int? {
    spec.arguments.firstIndex { $0.names.contains(name) }
  }

  /// Returns all texts that are given for an argument.
  package func all(_ name: String) -> [String] { index(name).flatMap { texts[$0] } ?? [] }

  package func text(_ name: String) -> String? { all(name).first }

  package func has(_ name: String) -> Bool { count(name) > 0 }

  /// Returns the number of occurrences of a flag.
  package func count(_ name: String) -> Int { index(name).flatMap { counts[$0] } ?? 0 }

  /// Returns whether an argument is given.
  package func isGiven(_ name: String) -> Bool { index(name).map(isGiven(at:)) ?? false }

  func isGiven(at index: Int) -> Bool { texts[index] != nil || counts[index] != nil }

  /// Returns whether the last occurrence of a flag was `--no-x`.
  package func isTakenBack(_ name: String) -> Bool { index(name).flatMap { counts[$0] } == 0 }

  mutating func take(_ index: Int, from others: ParsedArguments, _ place: Int) {
    texts[index] = others.texts[place]
    counts[index] = others.counts[place]
    typed[index] = others.typed[place]
  }

  mutating func clear(_ index: Int) {
    (texts[index], counts[index], typed[index]) = (nil, nil, nil)
  }
}
