/// `["Accept": "text/plain", "X-Token": token]`: in that order, a repeated name beside the first.
extension Headers: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral pairs: (String, String)...) { self.init(pairs) }
}
