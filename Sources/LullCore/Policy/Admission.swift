/// That a rate limit has let one request through; given back, or counted once it is sent.
package struct Admission: Equatable, Sendable {
  /// What whoever keeps the count knows it by; 0 where they are not told apart.
  package let number: Int64

  package init(number: Int64) {
    self.number = number
  }

  static let local = Admission(number: 0)
}
