/// A way in which an option may be used: at all, with one of some values, or reset. It is written
/// as a user types it, for example `-O`, `-o csv|table` or `--no-follow`. `-o !raw` means any value
/// except `raw`.
package struct OptionUse: Sendable, ExpressibleByStringLiteral {
  package let name: String
  package let values: [String]
  /// Whether the use means all values except the listed ones.
  package let isInverted: Bool

  package init(stringLiteral text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    name = parts.first.map(String.init) ?? ""
    let value = parts.count > 1 ? parts[1] : ""
    isInverted = value.hasPrefix("!")
    values = value.drop { $0 == "!" }.split(separator: "|").map(String.init)
  }
}

extension Argument {
  /// A rule about combinations of an option with other options.
  package struct Rule: Sendable {
    package enum Kind: Sendable {
      /// The option can't be combined with any of the listed uses.
      case conflict
      /// The option requires one of the listed uses.
      case need
      /// The option requires one of the listed uses. If there is none, a default of the option is
      /// ignored.
      case purpose
      /// If one of the listed uses is given, a default of the option is ignored.
      case way
    }

    package let kind: Kind
    package let uses: [OptionUse]
    /// The values of the option that the rule applies to. Empty: all values.
    package private(set) var values: [String] = []
    /// Advice that is appended to the error message.
    package private(set) var hint: String?

    /// Creates a rule that applies only to some values of the option.
    package init(_ rule: Rule, for values: [String]) {
      self = rule
      self.values = values
    }

    private init(kind: Kind, uses: [OptionUse], hint: String? = nil) {
      (self.kind, self.uses, self.hint) = (kind, uses, hint)
    }

    package static func conflicts(_ uses: OptionUse..., hint: String? = nil) -> Rule {
      Rule(kind: .conflict, uses: uses, hint: hint)
    }

    package static func needs(_ uses: OptionUse...) -> Rule { Rule(kind: .need, uses: uses) }

    package static func appliesWith(_ uses: OptionUse...) -> Rule {
      Rule(kind: .purpose, uses: uses)
    }

    package static func defaultYields(to uses: OptionUse...) -> Rule {
      Rule(kind: .way, uses: uses)
    }
  }
}

extension ParsedArguments {
  /// Throws if options are given that can't be combined, or if an option requires another one that
  /// is missing.
  package func checkRules() throws(ArgumentParser.End) {
    if let problem = firstProblem(isConflict: true) ?? firstProblem(isConflict: false) {
      throw .problem(problem)
    }
  }

  private func firstProblem(isConflict: Bool) -> String? {
    for index in spec.arguments.indices where isGiven(at: index) {
      for rule in spec.arguments[index].rules where (rule.kind == .conflict) == isConflict {
        if let problem = problem(of: rule, index) { return problem }
      }
    }
    return nil
  }

  /// Adds the arguments of `others` that are not given in this command line.
  package mutating func fill(from others: ParsedArguments) {
    for place in others.spec.arguments.indices {
      if let own = vacancy(for: place, of: others) { take(own, from: others, place) }
    }
  }

  /// Adds the values from a file of defaults. A default is ignored if the command line gives the
  /// option, or if it can't be combined with the options given there. (CFL-02)
  package mutating func fill(defaults: ParsedArguments) {
    let given = self
    let isConsistent = given.firstProblem(isConflict: true) == nil
    var filled: [Int] = []
    for place in defaults.spec.arguments.indices {
      guard let own = vacancy(for: place, of: defaults) else { continue }
      let ways = spec.arguments[own].rules.filter { $0.kind == .way }.flatMap(\.uses)
      if ways.contains(where: { given.isGiven($0.name) }) { continue }
      var trial = given
      trial.take(own, from: defaults, place)
      if isConsistent, trial.firstProblem(isConflict: true) != nil { continue }
      take(own, from: defaults, place)
      filled.append(own)
    }
    for index in filled {
      let purposes = spec.arguments[index].rules.filter { $0.kind == .purpose }
      if purposes.contains(where: { problem(of: $0, index) != nil }) { clear(index) }
    }
  }

  /// Returns the index in this command line of an argument that `others` gives and this command
  /// line does not give. nil if there is no such argument.
  ///
  /// - Parameter place: The index of the argument in `others`.
  private func vacancy(for place: Int, of others: ParsedArguments) -> Int? {
    guard others.isGiven(at: place),
      let own = index(others.spec.arguments[place].names.first ?? ""), !isGiven(at: own)
    else { return nil }
    return own
  }

  private func problem(of rule: Argument.Rule, _ index: Int) -> String? {
    guard rule.kind != .way,
      let subject = used(index, rule.values, isInverted: false, isTakenBack: false)
    else { return nil }
    if rule.kind == .conflict {
      for use in rule.uses {
        guard let other = self.text(of: use) else { continue }
        return "\(subject) cannot be combined with \(other)" + (rule.hint.map { "; \($0)" } ?? "")
      }
      return nil
    }
    guard !rule.uses.contains(where: { self.text(of: $0) != nil }) else { return nil }
    return "\(subject) needs " + WordList.text(rule.uses.flatMap(spellings))
  }

  /// Returns a use of an option as the user typed it. nil if the option is not used in that way.
  private func text(of use: OptionUse) -> String? {
    if let index = index(use.name) {
      return used(index, use.values, isInverted: use.isInverted, isTakenBack: false)
    }
    guard use.name.hasPrefix("--no-"), let index = index("--" + use.name.dropFirst(5)) else {
      return nil
    }
    return used(index, [], isInverted: false, isTakenBack: true)
  }

  private func used(
    _ index: Int, _ values: [String], isInverted: Bool, isTakenBack: Bool
  ) -> String? {
    let argument = spec.arguments[index]
    let name = typed[index] ?? argument.names.first ?? ""
    guard argument.takesValue else {
      guard let count = counts[index], (count == 0) == isTakenBack else { return nil }
      return isTakenBack ? "--no-\(argument.shown.dropFirst(2))" : name
    }
    guard let texts = texts[index] else { return nil }
    guard !values.isEmpty else { return name }
    guard let text = texts.first(where: { values.contains($0) != isInverted }) else { return nil }
    // A value that the rule does not name may be a password, so it is not shown.
    return isInverted ? name : "\(name) \(text)"
  }

  /// Returns the texts of a use for messages. Empty if the command does not have the option.
  private func spellings(of use: OptionUse) -> [String] {
    guard let index = index(use.name) else { return [] }
    let argument = spec.arguments[index]
    guard use.values.isEmpty else {
      return use.values.filter { argument.choices.isEmpty || argument.choices.contains($0) }
        .map { "\(use.name) \($0)" }
    }
    return [argument.takesValue ? "\(use.name) \(argument.shownPlaceholder)" : use.name]
  }
}
