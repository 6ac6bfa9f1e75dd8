/// What somebody has run on a home while waiting outside of its tasks, and what it came to: the body of
/// `Lull.run`, or of a test. Home thread only.
package final class HomeBody<Home: Actor, Value> {
  private let body: (isolated Home) async throws -> Value
  /// nil until it has ended.
  package private(set) var result: Result<Value, any Error>?

  package init(_ body: @escaping (isolated Home) async throws -> Value) {
    self.body = body
  }

  package func run(on home: isolated Home) async {
    do {
      result = .success(try await body(home))
    } catch {
      result = .failure(error)
    }
  }
}
