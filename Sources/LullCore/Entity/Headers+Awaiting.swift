/// The condition of a request that is made before it is known.
extension Headers {
  /// A condition may be put in later, unless one is set or removed before: whoever edits a request without
  /// one wants it to be without one. (LOAD-04)
  mutating func awaitCondition() { awaitsCondition = true }

  /// Puts the condition in, if one is still awaited; nil: there is none.
  mutating func settle(_ condition: (name: String, value: ByteString)?) {
    guard awaitsCondition else { return }
    awaitsCondition = false
    if let (name, value) = condition { set(name, bytes: value.bytes) }
  }

  /// Whether a header makes the answer depend on what is there.
  package static func isCondition(_ name: String) -> Bool {
    ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"]
      .contains(name.lowercased())
  }
}
