import LullCore

/// A request's work that is done when the test says so, and written down.
final class SpyDelegate: RequestDelegate {
  var progress = 0.0
  /// Called inside `start`.
  var onStart: ((RequestCompletionHandler) -> Void)?
  private(set) var handler: RequestCompletionHandler?
  private let journal: Journal
  private let name: String
  private let keepsHandler: Bool

  init(_ journal: Journal = Journal(), name: String = "work", keepsHandler: Bool = true) {
    self.journal = journal
    self.name = name
    self.keepsHandler = keepsHandler
  }

  func report(_ text: String) { handler?.broadcastResponse(.success(.text(text))) }

  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    journal("start \(name)")
    if keepsHandler { self.handler = handler }
    onStart?(handler)
  }

  func cancelUnderlyingOperation() { journal("cancel \(name)") }

  func repeated() -> any RequestDelegate { SpyDelegate(journal, name: name + "'") }

  func computeProgress() -> Double { progress }

  var requestDescription: String { name }
}
