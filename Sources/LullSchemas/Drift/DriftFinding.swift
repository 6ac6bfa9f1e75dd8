/// A difference between the responses of an API and its schemas.
package struct DriftFinding: Sendable, Hashable {
  /// The consequence of a difference for users of the API.
  package enum Tier: String, CaseIterable, Sendable, Comparable {
    /// Breaks clients: a required field is missing, or a value has an undeclared type.
    case breaking
    /// May break clients: a value isn't among the declared ones, or a number is not whole as
    /// declared.
    case changed
    /// Breaks no client that ignores it: an undeclared field.
    case added
    /// Not a difference, but useful information.
    case note

    package static func < (one: Tier, other: Tier) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  package enum Change: String, Sendable {
    case added
    case removed
    case type
    /// A value other than the declared ones.
    case word
    /// A declared field that never occurs.
    case unseen
    case undeclaredStatus = "undeclared status"
    case undeclaredCall = "undeclared call"
    case withoutSchema = "no schema"
  }

  package var tier: Tier
  package var change: Change
  /// Empty for exchanges that belong to no call.
  package var call: String
  /// Empty if the finding is not about a response.
  package var status: String
  /// A JSON Pointer, with `*` for any element of a list or map. For an exchange that belongs to no
  /// call, method and path.
  package var pointer: String
  package var declared = ""
  package var found = ""
  /// The number of samples with the difference.
  package var samples: Int
  /// The number of samples examined.
  package var of: Int
}
