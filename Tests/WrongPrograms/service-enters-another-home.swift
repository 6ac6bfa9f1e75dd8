// A service of one home is used on another.
import LullCore
import LullTransport

func load(on other: Home) throws {
  try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com")
    _ = try await other.perform { other in
      try await api.resource("/x").load().entity()  // error: in a '@Sendable' closure
    }
    _ = api.resource("/y")
  }
}
