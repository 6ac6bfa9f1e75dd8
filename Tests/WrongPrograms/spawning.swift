// Tasks of a home, and of a test, wherever they are started: no error.
import LullCore
import LullTesting
import LullTransport

actor OnHome {
  private let home: Home
  private let api: Service
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: Home) {
    self.home = home
    api = Service(baseURL: "https://api.example.com", on: home)
  }

  func refresh() async throws {
    let task = await home.spawn {
      self.count += 1
      return try await self.api.resource("/a").load().entity()
    }
    let api = api
    await home.spawn { _ = try await api.resource("/b").load().entity() }
    _ = try await task.value
  }
}

actor OnAny {
  private let home: any ServiceHome
  private let api: Service
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: any ServiceHome) async {
    self.home = home
    api = Service(baseURL: "https://api.example.com", on: home)
    api.configure { $0.expirationTime = 3 }
  }

  func refresh() async throws -> Int {
    let task = await home.spawn {
      self.count += 1
      return try await self.api.resource("/a").load().entity()
    }
    let other = await home.spawn { home in home.statistics.services }
    _ = try await (task.value, other.value)
    return await home.statistics.services
  }
}

func load(on home: isolated Home, _ api: Service) async throws {
  let task = home.spawn { _ = try await api.resource("/a").load().entity() }
  try await task.value
}

func run() throws {
  try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com")
    var seen = 0
    let task = home.spawn {
      _ = api.resource("/a")
      seen += 1
    }
    try await task.value
    print(seen, api.resource("/b"))
  }
}

func test() throws {
  try Lull.test { test in
    let home: any ServiceHome = test
    let api = test.service()
    test.spawn { _ = try await api.resource("/a").load().entity() }
    await home.spawn { _ = api.resource("/a") }
    test.spawn { test in await test.advance(by: 1) }
    await test.settle()
  }
}
