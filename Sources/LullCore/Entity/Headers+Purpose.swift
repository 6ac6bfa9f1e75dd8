/// What headers of requests are for, by their names in lower case.
extension Headers {
  /// Whether it says nothing of whose request it is but what is wanted, how the body is written, and
  /// with which program.
  package static func goesAnywhere(_ name: String) -> Bool {
    name.hasPrefix("accept") || name.hasPrefix("content-") || name == "user-agent"
  }

  /// Whether requests that differ in it may still be the same person's. What is called like a
  /// credential is none of these, whatever it begins with.
  static func saysNothingOfSender(_ name: String) -> Bool {
    guard CredentialName(name) == nil else { return false }
    return goesAnywhere(name) || harmless.contains(name)
  }

  private static let harmless: Set<String> = [
    "x-request-id", "traceparent", "idempotency-key", "cache-control", "range", "if-match",
    "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
  ]
}
