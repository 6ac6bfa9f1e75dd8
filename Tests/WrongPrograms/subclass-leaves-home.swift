// A service of a class of the user's own is used by a task that runs anywhere.
import LullCore
import LullTransport

class Kept: Service {
  init(home: isolated Home) {
    super.init(baseURL: "https://api.example.com", surroundings: home.surroundings)
  }
}

func load() throws {
  try Lull.run { home in
    let api = Kept(home: home)
    let task = Task.detached {  // error: risks causing data races
      try await api.resource("/x").load().entity()
    }
    _ = try await task.value
  }
}
