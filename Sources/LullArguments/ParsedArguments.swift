/// The parsed words of a command line, by argument in the order of the specification.
package struct ParsedArguments: Sendable {
  let spec: ArgumentSpec
  /// The texts of each argument with values, in order; nil: not given.
  package internal(set) var texts: [[String]?]
  /// The number of occurrences of each flag; `--no-x` resets it to 0.
  package internal(set) var counts: [Int?]
  /// The name with which each argument was first given; nil: not given.
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

  /// All texts given for an argument.
  package func all(_ name: String) -> [String] { index(name).flatMap { texts[$0] } ?? [] }

  package func text(_ name: String) -> String? { all(name).first }

  package func has(_ name: String) -> Bool { count(name) > 0 }

  /// How often a flag occurs.
  package func count(_ name: String) -> Int { index(name).flatMap { counts[$0] } ?? 0 }

  /// Whether an argument is given.
  package func isGiven(_ name: String) -> Bool { index(name).map(isGiven(at:)) ?? false }

  func isGiven(at index: Int) -> Bool { texts[index] != nil || counts[index] != nil }

  /// Whether a flag was last given as `--no-x`.
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
