/// A difference between the responses of an API and the schemas of the API.
package struct DriftFinding: Sendable, Hashable {
  /// The severity of a difference for users of the API.
  package enum Tier: String, CaseIterable, Sendable, Comparable {
    /// The difference breaks clients: a required field is missing, or a value has an undeclared
    /// type.
    case breaking
    /// The difference may break clients: a value is not one of the declared values, or a number
    /// that is declared as an integer has a fraction.
    case changed
    /// The difference breaks only clients that reject unknown data: the response has an undeclared
    /// field.
    case added
    /// Not a difference, but information that may be useful.
    case note

    package static func < (one: Tier, other: Tier) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  package enum Change: String, Sendable {
    case added
    case removed
    case type
    /// The value is not one of the declared values.
    case word
    /// A declared field never occurs.
    case unseen
    case undeclaredStatus = "undeclared status"
    case undeclaredCall = "undeclared call"
    case withoutSchema = "no schema"
  }

  package var tier: Tier
  package var change: Change
  /// The name of the call; empty for an exchange that belongs to no call.
  package var call: String
  /// The status of the response; empty if the finding is not about a response.
  package var status: String
  /// The JSON Pointer of the value that differs, with `*` for any element of a list or map. For an
  /// exchange that belongs to no call, contains the method and path instead.
  package var pointer: String
  package var declared = ""
  package var found = ""
  /// The number of samples that have the difference.
  package var samples: Int
  /// The number of samples that were examined.
  package var of: Int
}
