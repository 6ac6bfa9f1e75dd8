import LullCore

/// Records curl's reports about one hop while curl runs. The reports are passed to the observer
/// after curl has returned.
final class WireRecord {
  private let observer: WireObserver
  /// The request before secrets were filled in.
  private let request: HTTPRequest
  private var events: [WireObserver.Event] = []
  private var sent = Side()
  private var received = Side()

  /// The data of one direction, sent or received, that does not form a complete event yet.
  private struct Side {
    var head: [UInt8] = []
    var body: [UInt8] = []
    var bodyCount = 0
  }

  init(_ observer: WireObserver, of request: HTTPRequest) {
    self.observer = observer
    self.request = request
  }

  var isEmpty: Bool { events.isEmpty }

  // MARK: Inside curl

  func sentHead(_ bytes: UnsafeBufferPointer<UInt8>) {
    endBodies()
    sent.head += bytes
    if sent.head.suffix(4).elementsEqual([13, 10, 13, 10]) { endHead(of: &sent, isSent: true) }
  }

  func sentBody(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard observer.wantsBodies else { return }
    WireRecord.keep(bytes, in: &sent)
  }

  func receivedLine(_ bytes: UnsafeBufferPointer<UInt8>) {
    endBodies()
    // libcurl does not report the empty line of an interim response.
    if bytes.starts(with: "HTTP/".utf8) { endHead(of: &received, isSent: false) }
    received.head += bytes
    if bytes.allSatisfy({ $0 == 13 || $0 == 10 }) { endHead(of: &received, isSent: false) }
  }

  /// Records bytes of the decoded body.
  func receivedBody(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard observer.wantsBodies else { return }
    WireRecord.keep(bytes, in: &received)
  }

  private static func keep(_ bytes: UnsafeBufferPointer<UInt8>, in side: inout Side) {
    side.bodyCount += bytes.count
    side.body += bytes.prefix(max(0, WireObserver.bodyLimit - side.body.count))
  }

  private func endHead(of side: inout Side, isSent: Bool) {
    guard !side.head.isEmpty else { return }
    events.append(.head(isSent: isSent, side.head))
    side.head = []
  }

  private func endBodies() {
    endBody(of: &sent, isSent: true)
    endBody(of: &received, isSent: false)
  }

  private func endBody(of side: inout Side, isSent: Bool) {
    guard side.bodyCount > 0 else { return }
    events.append(.body(isSent: isSent, side.body, count: side.bodyCount))
    (side.body, side.bodyCount) = ([], 0)
  }

  // MARK: Outside curl

  /// Completes the events whose data is still incomplete.
  func end() {
    endBodies()
    endHead(of: &sent, isSent: true)
    endHead(of: &received, isSent: false)
  }

  /// Reports the complete events, with the exchange's secrets masked.
  ///
  /// - Parameter search: Finds the texts of the secrets; nil for an exchange without secrets.
  func tell(hiding search: SecretSearch?) {
    let events = self.events
    self.events = []
    for event in events {
      guard let search else {
        observer.tell(event)
        continue
      }
      observer.tell(WireMask(request, search).masked(event))
    }
  }
}
