/// What a worker is to do: say which tests a file declares, or run one of them.
struct ProofOrder: Codable {
  /// As it was given, or found.
  var file: String
  /// Which test, from 1 on, and what it is called; nil: say which there are.
  var number: Int?
  var name: String?
  /// Whether other tests are left out.
  var isPartial = false
  /// An API file that is to be described in place of all that; as `lull.api` is asked for it.
  var api: String?
}
