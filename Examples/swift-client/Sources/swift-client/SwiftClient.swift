import LullCore
import LullTransport
import Notes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Lull from Swift, without scripts: loads, observes and changes resources of the sample API.
///
///     lull demo &   # prints its address
///     swift run --package-path Examples/swift-client swift-client http://127.0.0.1:PORT
@main
struct SwiftClient {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      print("usage: swift-client BASE_URL")
      exit(2)
    }
    let baseURL = CommandLine.arguments[1]
    do {
      // The body runs on this thread, which drives the event loop until it returns.
      try Lull.run { home in
        let api = Service(baseURL: baseURL)
        // Configuration goes by URL pattern: everything sends a header, users stay fresh a minute.
        api.configure { $0.headers["X-Client"] = "swift-client" }
        api.configure("/users/*") { $0.expirationTime = 60 }

        try await load(api)
        try await change(api)
        try await several(api)
        try await typed(api)
        try await together(NoteBook(home: home, baseURL: baseURL))
        await fail(api)
      }
    } catch {
      print("failed:", error)
      exit(1)
    }
  }

  /// A resource caches the state of one URL; its observers hear of everything that happens to it.
  static func load(_ api: Service) async throws {
    let ada = api.resource("/users/1")
    ada.addObserver(owner: api) { _, event in print("observed", event) }

    // The first call loads; while the data is fresh, the second has nothing to do and returns nil.
    let user = try await ada.loadIfNeeded()?.entity()
    print("name", user?.jsonDict["name"]?.string ?? "none")
    print("needed again?", ada.loadIfNeeded() != nil)

    // load() always asks. The server knows the ETag and answers 304: the data stays as it is.
    let response = await ada.load().onNotModified { print("304: not modified") }.completed()
    print("new?", response.isNew)
    ada.removeObservers(ownedBy: api)
  }

  /// Other requests leave the resource alone; hooks hear how they ended.
  static func change(_ api: Service) async throws {
    let notes = api.resource("/notes")
    let before = try await notes.load().entity().jsonArray.count
    let created = try await notes.request(
      "POST", json: ["title": "Tea", "body": "Buy some", "done": false]
    )
    .onSuccess { print("created", $0.header(forKey: "location") ?? "nowhere") }
    .onFailure { print("not created:", $0.userMessage) }
    .entity()
    print("title", created.jsonDict["title"]?.string ?? "none")
    print("one more?", try await notes.load().entity().jsonArray.count == before + 1)
  }

  /// Three at once: start them all, then wait for each. The type wanted may be Swift's own.
  static func several(_ api: Service) async throws {
    let requests = (2...4).map { api.resource("/users").child("\($0)").load() }
    for request in requests {
      let user: [String: JSONValue]? = try await request.entity().typedContent()
      print("user", user?["name"]?.string ?? "none")
    }
  }

  /// Data as that type, loaded if it is not fresh; bodies from it; and what does not fit.
  static func typed(_ api: Service) async throws {
    let note = try await api.resource("/notes/4").fresh(Note.self)
    print("note", note.id ?? 0, note.title, note.done)
    let next = Note(title: note.title + ", more", body: note.body, done: true)
    let sent = api.resource("/notes").request("POST", encoding: next)
    for await progress in sent.progress where progress == 1 { print("sent") }
    print("title", try await sent.entity().decoded(Note.self).title)
    do {
      _ = try await api.resource("/notes").fresh([String: Note].self)
    } catch {
      print("not a dictionary:", error.cause?.message ?? "")
    }
  }

  /// An actor that keeps its service is called from anywhere; this one has tests of its own.
  static func together(_ book: NoteBook) async throws {
    async let one = book.open()
    async let two = book.open()
    print("same?", try await one == two)
    try await book.add("Milk")
    print("listed?", try await book.open().contains("Milk"))
  }

  /// What goes wrong outside is an error with a message for people, and state of the resource.
  static func fail(_ api: Service) async {
    let missing = api.resource("/users").child("4711")
    do {
      _ = try await missing.load().entity()
    } catch {
      print("missing:", error.userMessage, error.httpStatusCode ?? 0)
    }
    print("still known?", missing.latestError != nil)
  }
}
