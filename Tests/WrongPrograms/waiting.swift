// Transformers that wait, and waiting for several at a time, in every place where a program may stand: no
// error.
import LullCore
import LullTransport

struct Raw: Sendable { var id: Int }
struct Model: Codable, Sendable { var name: String }
final class Local { var count = 0 }

actor Catalogue {
  private let home: Home
  private let api: Service
  private var seen = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: Home) {
    self.home = home
    api = Service(baseURL: "https://api.example.com", on: home)
    configure(api)
    let api = api
    api.configureTransformer("/posts/*") {
      (raw: [String: JSONValue], entity) async throws -> Model in
      print(entity.contentType)
      return try await api.resource("/users").child(raw["author"]?.string ?? "").fresh(Model.self)
    }
  }

  func listen() {
    api.configureTransformer("/x/*") { (content: Raw, entity) async throws -> Model in
      self.seen += 1
      return try await self.api.resource("/models").child("\(content.id)").fresh(Model.self)
    }
    api.configureTransformer("/y/*") { (content: Raw, _) in
      self.note(content)
      return content
    }
  }

  private func note(_ content: Raw) { seen += content.id }

  func names(of ids: [Int]) async throws -> [String?] {
    try await ids.concurrentMap(limit: 4) { id in
      try await self.api.resource("/items").child("\(id)").load().entity().jsonDict["name"]?.string
    }
  }

  func both() async throws -> Int {
    try await Request.all([api.resource("/a").load(), api.resource("/b").load()]).count
  }
}

func make(_ raw: Raw, _ entity: Entity) -> Model? { Model(name: "\(raw.id)") }

// Functions that answer at once are what they were, in every form.
func configure(_ api: Service) {
  let local = Local()
  api.configureTransformer("/a") { (text: String, _) in text.uppercased() }
  api.configureTransformer("/b") { (raw: Raw, entity) -> Model? in
    local.count += 1
    return Model(name: entity.contentType + "\(raw.id)")
  }
  api.configureTransformer("/c", contentTransform: make)
  api.configureTransformer("/d") { (raw: Raw, _) throws -> Model in Model(name: "\(raw.id)") }
  api.configureTransformer(/d/, contentTransform: { (raw: Raw, _: Entity) in raw.id })
  api.configureTransformer { (raw: Raw, _) in raw.id }
  api.configureTransformer("/e", as: Model.self)
  // Those that wait, also where nothing says so but `await`.
  api.configureTransformer("/f") { (raw: Raw, _) in
    try await api.resource("/g").fresh(Model.self)
  }
  api.configureTransformer { (raw: Raw, _) async -> Int in
    local.count += 1
    return raw.id
  }
  api.configure("/h") {
    $0.pipeline[.model].add(
      ResponseContentTransformer { (text: String, _) async throws -> Model? in
        try await api.resource("/g").fresh(Model.self)
      })
    $0.pipeline[.model].add(ResponseContentTransformer { (text: String, _) -> Int? in Int(text) })
    $0.pipeline[.cleanup].add(description: "audit") { response in
      local.count += 1
      _ = try await api.resource("/log").request("POST", text: response.description).entity()
      return response
    }
    $0.pipeline[.cleanup].add { response in response }
  }
}

func run() throws {
  try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com")
    let local = Local()
    api.configureTransformer("/x/*") { (content: Raw, entity) async throws -> Model in
      local.count += 1
      return try await api.resource("/models").child("\(content.id)").fresh(Model.self)
    }
    let first = try await Request.any([api.resource("/a").load(), api.resource("/b").load()])
    let resources = [api.resource("/a"), api.resource("/b")]
    let names = try await resources.concurrentMap { resource in
      local.count += 1
      return try await resource.load().entity().text
    }
    let task = home.spawn {
      try await Request.all(resources.map { $0.load() }).map(\.text)
    }
    print(first.text, names, try await task.value)
  }
}

nonisolated(nonsending) func helper(_ resources: [Resource]) async throws -> [String] {
  let entities = try await Request.all(resources.map { $0.load() })
  let texts = try await resources.concurrentMap { try await $0.load().entity().text }
  return entities.map(\.text) + texts
}

func typed(_ api: Service) throws {
  _ = try Lull.run { home in
    let api = Service(baseURL: "https://api.example.com")
    do throws(RequestError) {
      return try await [1, 2].concurrentMap { id async throws(RequestError) in
        try await api.resource("/a/\(id)").load().entity().text
      }
    } catch {
      return [error.userMessage]
    }
  }
}

actor Account {
  private let home: Home
  private let api: Service
  private var shown = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: Home) {
    self.home = home
    api = Service(baseURL: "https://api.example.com", on: home)
  }

  func logIn() async throws -> Double? {
    let auth = try Auth.oauth2Code(
      authorizationURL: "https://login.example.com/authorize",
      tokenURL: "https://login.example.com/token", clientID: "me", name: "shop")
    let login = try await auth.logIn(over: api) { prompt in
      self.shown += 1
      if case .open(let url) = prompt { print(url) }
    }
    api.configure { $0.auth = login.auth }
    let end: OAuth2LogoutResult = try await login.auth.logOut(over: api)
    print(end)
    return login.lifetime
  }
}
