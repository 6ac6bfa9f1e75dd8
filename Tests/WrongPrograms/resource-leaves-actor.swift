// An actor shows a resource that it keeps to the main actor.
import LullCore
import LullTransport

actor Catalogue {
  private let home: Home
  private let api: Service
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: Home) {
    self.home = home
    api = Service(baseURL: "https://api.example.com", on: home)
  }

  func resource(_ path: String) -> Resource { api.resource(path) }
}

@MainActor func show(_ catalogue: Catalogue) async {
  let resource = await catalogue.resource("/x")  // error: non-Sendable
  print(resource.latestData?.text ?? "")
}
