/// One difference between what an API answers and what its schemas say.
package struct DriftFinding: Sendable, Hashable {
  /// What it means to whoever uses the API.
  package enum Tier: String, CaseIterable, Sendable, Comparable {
    /// What clients rely on is not so any more: a field that is required is missing, or a value is of a type
    /// that is not declared.
    case breaking
    /// Clients may stumble: a word that is not among those declared, a number where whole ones are.
    case changed
    /// Clients that take no notice of it work on: a field that nobody has declared.
    case added
    /// No difference, but worth knowing.
    case note

    package static func < (one: Tier, other: Tier) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  package enum Change: String, Sendable {
    case added
    case removed
    case type
    /// Another word than those declared.
    case word
    /// Declared, and never there.
    case unseen
    case undeclaredStatus = "undeclared status"
    case undeclaredCall = "undeclared call"
    case withoutSchema = "no schema"
  }

  package var tier: Tier
  package var change: Change
  /// Empty of exchanges that belong to no call.
  package var call: String
  /// Empty where it is about no answer.
  package var status: String
  /// A JSON Pointer, with `*` for whichever element of a list or a map; of an exchange of no call method and
  /// path.
  package var pointer: String
  package var declared = ""
  package var found = ""
  /// In how many samples it is so.
  package var samples: Int
  /// Of how many.
  package var of: Int
}
