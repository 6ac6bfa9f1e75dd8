// What a program of a server does: no error.
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

  func name(of id: Int) async throws -> String? {
    let resource = api.resource("/items").child("\(id)")
    if let request = resource.loadIfNeeded() { _ = try await request.entity() }
    return resource.jsonDict["name"]?.string
  }
}

func serve() async throws {
  let home = try Home.start()
  let catalogue = Catalogue(home: home)
  async let one = catalogue.name(of: 1)
  async let two = catalogue.name(of: 2)
  print(try await one ?? "", try await two ?? "")
  let text = try await home.perform { home in
    try await Service(baseURL: "https://example.com").resource("/motd").load().entity().text
  }
  let task = home.spawn { home in
    let api = Service(baseURL: "https://example.com")
    let own = home.spawn { try await api.resource("/a").load().entity().text }
    return try await own.value
  }
  print(text, try await task.value)
  await home.shutdown()
}

func run() throws -> String? {
  try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com/v1")
    let user = api.resource("/users/7")
    user.addObserver(owner: api) { resource, event in print(event, resource.isLoading) }
    return try await user.load().entity().jsonDict["name"]?.string
  }
}
