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
}
