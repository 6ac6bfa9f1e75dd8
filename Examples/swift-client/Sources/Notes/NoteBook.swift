import LullCore

/// The notes of a server, for whoever asks: callers of all threads share what was loaded.
///
/// It takes any home: a program gives it a `Home`, a test itself.
public actor NoteBook {
  private let home: any ServiceHome
  private let api: Service
  public nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  public init(home: any ServiceHome, baseURL: String) {
    self.home = home
    api = Service(baseURL: baseURL, on: home)
    api.configure("/notes") {
      $0.expirationTime = 60
      $0.retry = RetryPolicy()
    }
  }

  /// The titles of what is to be done, as of the last minute.
  public func open() async throws -> [String] {
    try await api.resource("/notes").fresh([Note].self).filter { !$0.done }.map(\.title)
  }

  /// Writes a note down; the next who asks for the list gets it with that one.
  public func add(_ title: String) async throws {
    let notes = api.resource("/notes")
    _ = try await notes.request("POST", encoding: Note(title: title)).entity()
    notes.invalidate()
  }

  /// Loads the list beside the caller, who does not wait for it.
  public func prepare() async {
    await home.spawn { try await self.api.resource("/notes").loadIfNeeded()?.entity() }
  }
}
