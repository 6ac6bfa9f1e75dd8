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
  /// when the caller waits or returns.
  ///
  /// For callers on this home, whose services the body may use, such as an actor that runs here. The body is
  /// isolated as its caller is: that of an actor that runs elsewhere runs there.
  ///
  /// In functions and closures that are isolated to a home of a generic type the compiler (6.3.1) crashes
  /// over it: there it is the one below, whose body takes the home.
  ///
  ///     func refresh() async {
  ///       await home.spawn { try await self.api.resource("/items").load().entity() }
  ///     }
  @discardableResult
  func spawn<Value: Sendable>(
    @_inheritActorContext(always) _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error>

  /// Starts a task that runs here, wherever the caller is, with what may be sent; otherwise as above.
  @discardableResult
  func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async throws -> Value
  ) -> Task<Value, any Error>
}
