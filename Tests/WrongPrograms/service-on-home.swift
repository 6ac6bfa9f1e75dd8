// A service that was made by naming its home is used by a task that runs anywhere.
import LullCore
import LullTransport

func load() throws {
  try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com", on: home)
    let task = Task.detached {  // error: risks causing data races
      try await api.resource("/x").load().entity()
    }
    _ = try await task.value
  }
}
