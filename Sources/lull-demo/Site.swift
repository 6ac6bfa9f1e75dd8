/// Which of the two origins a request came in on.
///
/// Both serve the same routes from the same state; they differ only in their port. That is what
/// redirects to another origin need: credentials must not follow, and the target can show that.
struct Site: Sendable {
  let port: UInt16
  let otherPort: UInt16

  var origin: String { "http://127.0.0.1:\(port)" }
  var otherOrigin: String { "http://127.0.0.1:\(otherPort)" }
  var swapped: Site { Site(port: otherPort, otherPort: port) }
}
