// A request is awaited by a task that runs anywhere.
import LullCore
import LullTransport

func load() throws {
  try Lull.run { home in
    let request = Service(baseURL: "https://api.example.com").resource("/x").load()
    let task = Task.detached {  // error: risks causing data races
      try await request.entity().text
    }
    _ = try await task.value
  }
}
