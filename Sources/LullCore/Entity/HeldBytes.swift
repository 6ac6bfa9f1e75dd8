import Synchronization

/// Bytes of a body or document that somebody holds: counted from its making to its end.
///
/// Values that share bytes share one of these, so that a copy of an entity costs nothing and counts
/// once. Safe on any thread.
package final class HeldBytes: Sendable {
  package enum Kind: Sendable {
    /// Bytes and texts, received or to be sent.
    case body
    /// Parsed JSON.
    case document
  }

  /// Of the whole process.
  package static var total: Int {
    bodies.load(ordering: .relaxed) + documents.load(ordering: .relaxed)
  }

  /// Those of one kind, of the whole process.
  package static func total(of kind: Kind) -> Int {
    switch kind {
    case .body: bodies.load(ordering: .relaxed)
    case .document: documents.load(ordering: .relaxed)
    }
  }

  private static let bodies = Atomic<Int>(0)
  private static let documents = Atomic<Int>(0)
  /// What is smaller is no more than what surrounds it.
  private static let threshold = 512

  private let kind: Kind
  private let count: Atomic<Int>

  package init(_ count: Int, of kind: Kind = .body) {
    self.kind = kind
    self.count = Atomic(count)
    HeldBytes.add(count, to: kind)
  }

  /// For so many bytes, if they are worth counting.
  convenience init?(ofBody count: Int) {
    guard count >= HeldBytes.threshold else { return nil }
    self.init(count)
  }

  /// For bytes and texts; nil for others, and for documents, which count themselves.
  convenience init?(of content: Content) {
    switch content {
    case .bytes, .text: self.init(ofBody: content.size)
    case .json, .value, .foreign: return nil
    }
  }

  deinit {
    HeldBytes.add(-count.load(ordering: .relaxed), to: kind)
  }

  /// More of them have come. By one thread at a time.
  package func grow(by more: Int) {
    count.add(more, ordering: .relaxed)
    HeldBytes.add(more, to: kind)
  }

  private static func add(_ more: Int, to kind: Kind) {
    switch kind {
    case .body: bodies.add(more, ordering: .relaxed)
    case .document: documents.add(more, ordering: .relaxed)
    }
  }
}
