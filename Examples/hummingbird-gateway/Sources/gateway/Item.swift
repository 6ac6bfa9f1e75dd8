import Hummingbird

/// As it comes from the other server, and as it goes out.
struct Item: ResponseCodable, Sendable {
  let number: Int
  let title: String
}
