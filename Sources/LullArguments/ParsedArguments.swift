/// What the words of a command line say, argument by argument in the order of the specification.
package struct ParsedArguments: Sendable {
  private let spec: ArgumentSpec
  /// The texts of each argument that takes any, in order; nil: it was not given.
  package internal(set) var texts: [[String]?]
  /// How often each flag was there; `--no-x` makes it none.
  package internal(set) var counts: [Int?]

  init(_ spec: ArgumentSpec) {
    self.spec = spec
    texts = Array(repeating: nil, count: spec.arguments.count)
    counts = Array(repeating: nil, count: spec.arguments.count)
  }

  private func index(_ name: String) -> Int? {
    spec.arguments.firstIndex { $0.names.contains(name) }
  }

  /// All texts given under a name of an argument.
  package func all(_ name: String) -> [String] { index(name).flatMap { texts[$0] } ?? [] }

  package func text(_ name: String) -> String? { all(name).first }

  package func has(_ name: String) -> Bool { count(name) > 0 }

  /// How often a flag is there.
  package func count(_ name: String) -> Int { index(name).flatMap { counts[$0] } ?? 0 }

  /// Takes from others what is not given here, but for some arguments by their names.
  package mutating func fill(from others: ParsedArguments, leavingOut names: Set<String>) {
    for (place, argument) in others.spec.arguments.enumerated()
    where names.isDisjoint(with: argument.names) {
      guard let own = index(argument.names.first ?? ""), texts[own] == nil, counts[own] == nil
      else { continue }
      texts[own] = others.texts[place]
      counts[own] = others.counts[place]
    }
  }

  /// Whether something is said of an argument.
  package func isGiven(_ name: String) -> Bool {
    index(name).map { texts[$0] != nil || counts[$0] != nil } ?? false
  }

  /// Whether `--no-x` is what was said last of a flag.
  package func isTakenBack(_ name: String) -> Bool { index(name).flatMap { counts[$0] } == 0 }
}
