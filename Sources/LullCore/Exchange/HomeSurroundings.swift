import LullSystem

/// The pump and the network of a home, to be handed to services on any thread and used on the home's.
// Unchecked: others only keep the reference; the pump ends a program that uses it on another thread.
public struct HomeSurroundings: @unchecked Sendable {
  package let context: HomeContext

  package init(_ context: HomeContext) {
    self.context = context
  }

  /// Those of the home of this thread, inside `Lull.run`, `Lull.test` or on a `Home`; where none is it is a
  /// programming error and ends the program.
  public static var current: HomeSurroundings {
    guard let context = HomeContext.current else {
      ProgramMisuse.stop(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run or "
          + "home.perform, name the home (on: home), or give networking and pump")
    }
    return HomeSurroundings(context)
  }
}
