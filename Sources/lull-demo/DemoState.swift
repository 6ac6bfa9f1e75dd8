/// The contents of the server, shared by all connections of both origins.
///
/// An actor with one method: a route does all it has to do with the contents in one go, so no other
/// request can come in between.
actor DemoState {
  private var contents = Contents()

  func update<Result: Sendable>(
    _ body: @Sendable (inout Contents) throws -> Result
  ) rethrows -> Result {
    try body(&contents)
  }
}
