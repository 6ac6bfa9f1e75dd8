/// The pump and the network of a home, to be handed to services on any thread and used on the home's.
// Unchecked: others only keep the reference; the pump ends a program that uses it on another thread.
public struct HomeSurroundings: @unchecked Sendable {
  package let context: HomeContext

  package init(_ context: HomeContext) {
    self.context = context
  }
}
