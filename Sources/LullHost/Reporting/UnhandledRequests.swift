import CLullBridge
import LullCore

/// Records failed requests whose failure the script has not handled, and reports them.
///
/// Order of events: a request that was passed to the script is recorded when it has failed and its
/// hooks have run. The request is not recorded if an await or a hook received the failure, or if
/// the request is a load whose failure was passed to an observer. If the script reads the failure
/// later, the record is removed. The record of a load is also removed if the script reads the
/// failure of a later load of the same resource. The remaining requests are reported at the end of
/// the script. In a program that embeds the host, a request is reported as soon as the script can
/// no longer reach it. (UNH-01 to UNH-12) Home thread only.
package final class UnhandledRequests {
  private struct Entry {
    let mark: RequestMark
    let name: String
    let error: RequestError

    /// Whether the script can still read the failure, through the request or through the resource
    /// that the request loads.
    var isReachable: Bool { mark.handle != 0 || mark.loaded.map { $0.hostHandle != 0 } ?? false }
  }

  /// The maximum number of requests that are reported individually.
  private static let most = 20

  private unowned let reporter: Reporter
  /// Whether no failures are reported, because the script consists of lines from a user or a pipe.
  var isSilent = false
  private var entries: [Entry] = []
  /// The number of failures that `fold()` has removed from `entries`.
  private var foldedCount = 0
  /// The number of entries at which `fold()` is called next.
  private var due = 1000

  init(_ reporter: Reporter) { self.reporter = reporter }

  /// Records a request that has settled, if the request failed and the script has not handled its
  /// failure.
  func note(_ request: Request) {
    guard case .failure(let error)? = request.response?.outcome,
      request.response?.isCancellation != true, request.mark.isShown
    else { return }
    let name = [request.method?.rawValue, request.url.map { LogText.url($0) }]
      .compactMap(\.self).joined(separator: " ")
    note(
      error, request.mark, name.isEmpty ? request.displayName : name,
      sent: request.sending?.sent ?? 0)
  }

  /// Records that a stream which the script follows has failed.
  ///
  /// - Returns: The object in which `isHandled` must be set if the script reads the failure.
  func note(_ error: RequestError, following resource: Resource) -> RequestMark {
    let mark = RequestMark()
    mark.loaded = resource
    if case .requestCancelled? = error.cause { return mark }
    note(error, mark, resource.readName)
    return mark
  }

  private func note(
    _ error: RequestError, _ mark: RequestMark, _ name: String, sent place: UInt64 = 0
  ) {
    guard !isSilent, !reporter.loop.session.isOpen, reporter.permissions.checker == nil else {
      return
    }
    // An error of a script function was already reported when it was raised.
    switch error.cause {
    case .script?: return
    case .transport(let error)? where error.isReported: return
    default: break
    }
    if let resource = mark.loaded {
      if mark.isHandled { return handleLoads(of: resource, sent: place) }
      if resource.record.seenErrorTime == error.timestamp || resource.isObserved { return }
    }
    guard !mark.isHandled else { return }
    entries.append(Entry(mark: mark, name: name, error: error))
    if entries.count >= due { fold() }
  }

  /// Called when the script has read the latest error of a resource, or when an observer is about
  /// to receive it. The failed request may not have settled yet.
  func errorSeen(of resource: Resource) {
    guard let error = resource.latestError else { return }
    resource.record.seenErrorTime = error.timestamp
    handleNoted(of: resource.record)
  }

  private func handleNoted(of record: ResourceRecord) {
    guard !entries.isEmpty else { return }
    for entry in entries where entry.mark.loaded?.record === record {
      entry.mark.isHandled = true
    }
  }

  /// Called when a load settles whose failure the script has handled. The failures of earlier loads
  /// of the resource then count as handled too, even if an earlier load is still in flight.
  private func handleLoads(of resource: Resource, sent place: UInt64) {
    handleNoted(of: resource.record)
    for load in resource.loadRequests {
      if let sent = load.sending?.sent, sent < place { load.mark.isHandled = true }
    }
  }

  /// Marks a failed load as handled if the failure of a later load of the same resource was
  /// handled.
  private func handleEarlierLoads() {
    var records: Set<ObjectIdentifier> = []
    for entry in entries.reversed() {
      guard let record = entry.mark.loaded.map({ ObjectIdentifier($0.record) }) else { continue }
      if entry.mark.isHandled {
        records.insert(record)
      } else if records.contains(record) {
        entry.mark.isHandled = true
      }
    }
  }

  /// Limits the memory for entries. Removes handled failures. Failures that the script can no
  /// longer reach are replaced by their number.
  private func fold() {
    handleEarlierLoads()
    var kept: [Entry] = []
    var count = 0
    for entry in entries where !entry.mark.isHandled {
      if !entry.isReachable, kept.count >= UnhandledRequests.most {
        count += 1
      } else {
        kept.append(entry)
      }
    }
    foldedCount += count
    entries = kept
    due = max(1000, 2 * kept.count)
  }

  /// Reports the failures that were not handled and that the script can no longer reach. At the
  /// end, reports all failures that were not handled.
  package func report(atEnd: Bool) {
    guard !entries.isEmpty else { return }
    handleEarlierLoads()
    entries.removeAll(where: \.mark.isHandled)
    let reported = atEnd ? entries : entries.filter { !$0.isReachable }
    guard !reported.isEmpty else { return }
    for entry in reported { entry.mark.isHandled = true }
    entries.removeAll(where: \.mark.isHandled)
    let bridge = reporter.bridge
    guard !bridge.isStarted || lull_module_ignores_unhandled(bridge.pointer) == 0 else {
      foldedCount = 0
      return
    }
    for entry in reported.prefix(UnhandledRequests.most) {
      reporter.report(unhandled: entry.error, of: entry.name)
    }
    let more = reported.count - UnhandledRequests.most + foldedCount
    foldedCount = 0
    if more > 0 { reporter.reportMoreUnhandled(more) }
  }
}
