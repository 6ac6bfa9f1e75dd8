/// `["Accept": "text/plain", "X-Token": token]`: in that order, a repeated name beside the first.
extension Headers: ExpressibleByDictionaryLiteral {
  /// Headers as a literal, in its order; a name may stand there twice.
  public init(dictionaryLiteral pairs: (String, String)...) { self.init(pairs) }
}
