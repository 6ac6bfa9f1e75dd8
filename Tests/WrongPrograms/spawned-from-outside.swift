// A task of a home is given a service of a caller's who is not on it, and goes on using it.
import LullCore
import LullTransport

func load(on home: Home, _ api: Service) async throws {
  let task = await home.spawn {  // error: risks causing data races
    try await api.resource("/x").load().entity()
  }
  _ = api.resource("/y")
  _ = try await task.value
}
