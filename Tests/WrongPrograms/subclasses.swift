// Services of a user's own, made in all the ways there are: no error.
import LullCore
import LullTransport

/// Nearly as with Siesta: on the home of the thread that makes it.
class Simple: Service {
  init() {
    super.init(
      baseURL: "https://api.example.com", standardTransformers: [.json], surroundings: .current)
  }

  var me: Resource { resource("/me") }
}

/// The compiler keeps it where it was made.
class Kept: Service {
  init(home: isolated Home) {
    super.init(baseURL: "https://api.example.com", surroundings: home.surroundings)
    configure { $0.expirationTime = 60 }
  }
}

/// For an actor that keeps it, and in a test.
final class Named: Service {
  init(home: any ServiceHome, isolation: isolated (any Actor)? = #isolation) {
    super.init(baseURL: "https://api.example.com", surroundings: home.surroundings)
    configure { $0.expirationTime = 60 }
  }
}

class Inheriting: Service {
  var me: Resource { resource("/me") }
}

actor Catalogue {
  private let home: any ServiceHome
  private let api: Named
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: any ServiceHome) {
    self.home = home
    api = Named(home: home)
  }

  func text() async throws -> String { try await api.resource("/a").load().entity().text }
}

func run(_ networking: any NetworkingProvider, _ pump: Pump) throws {
  _ = Service(
    baseURL: "https://api.example.com", standardTransformers: [], networking: networking, pump: pump
  )
  try Lull.run { home in
    _ = Service()
    _ = Service(baseURL: "https://api.example.com", standardTransformers: [.text])
    _ = (Simple().me, Kept(home: home), Named(home: home))
    _ = Inheriting(baseURL: "https://api.example.com").me
    let catalogue = Catalogue(home: home)
    print(try await catalogue.text())
  }
}
