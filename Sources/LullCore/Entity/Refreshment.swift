/// What a 304 says anew of an answer that is kept: its headers, and what of the request they depend on.
package struct Refreshment: Sendable, Equatable {
  let headers: Headers
  /// Of the request that was answered so.
  let request: Headers

  package init(_ headers: Headers, to request: Headers) {
    self.headers = headers
    self.request = request
  }
}

extension Entity {
  /// Takes over what a 304 says; content and age stay. (AGE-04; RFC 9111, section 4.3.4)
  package mutating func refresh(by refreshment: Refreshment) {
    var merged = headers.refreshed(by: refreshment.headers)
    // Ages are counted from now on, whatever they were.
    for name in ["age", "date"] where refreshment.headers[name] == nil { merged.remove(name) }
    headers = merged
    exchange?.variant = Variant(of: merged, to: refreshment.request)
    exchange?.elapsed = nil
  }
}
