/// Where services live, as an actor: a `Home`, and in a test the `LullTest`.
///
/// An actor that is given one in place of a `Home` can be tested: it is made on either.
///
///     actor Catalogue {
///       private let home: any ServiceHome
///       private let api: Service
///       nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
///
///       init(home: any ServiceHome) {
///         self.home = home
///         api = Service(baseURL: "https://api.example.com", on: home)
///       }
///     }
public protocol ServiceHome: Actor {
  /// What services are made with that are made on another thread. On any thread.
  nonisolated var surroundings: HomeSurroundings { get }

  /// Starts a task that runs here, beside whatever waits, and that is cancelled when the home ends; it begins
  /// when the caller waits or returns. For callers on this home, whose services the body may use.
  @discardableResult
  func spawn<Value: Sendable>(
    _ body: nonisolated(nonsending) @escaping () async throws -> Value
  ) -> Task<Value, any Error>
}
