// A task of a home is given a service of the main actor's.
import LullCore
import LullTransport

@MainActor final class Screen {
  let api: Service

  init(api: Service) { self.api = api }

  func reload(on home: Home) {
    home.spawn { home in
      try await self.api.resource("/x").load()  // error: cannot exit main actor-isolated context
        .entity()
    }
  }
}
