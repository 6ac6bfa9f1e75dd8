import Hummingbird
import LullCore
import LullTransport

/// The items of the other server.
///
/// An actor on the home's executor: it may keep services and resources, which belong to the home's
/// thread, and whoever has it calls it from anywhere.
actor Catalogue {
  private let home: Home
  private let api: Service

  // Asynchronous, so that it goes on where the actor runs once the properties are set.
  init(baseURL: String, home: Home) async {
    self.home = home
    api = Service(baseURL: baseURL, on: home)
    api.configure("/items/*") { $0.expirationTime = 60 }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  /// Handlers that ask while the item is loaded share that load; who asks in the minute after is
  /// answered at once.
  func item(_ number: Int) async throws -> Item {
    do {
      return try await api.resource("/items").child("\(number)").fresh(Item.self)
    } catch {
      throw HTTPError(
        error.httpStatusCode == 404 ? .notFound : .badGateway, message: error.userMessage)
    }
  }
}
