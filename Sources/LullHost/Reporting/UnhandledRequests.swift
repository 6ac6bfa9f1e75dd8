import CLullBridge
import LullCore

/// Failed requests whose failure the script has not checked.
///
/// Order of events: a request that a script has seen is recorded when it has failed and its hooks
/// have run. It is not recorded if an await or a hook has got the failure, or if it is a load whose
/// failure was passed to an observer. Reading the failure later removes the record; for loads, so
/// does reading the failure of a later load of the same resource. The remaining ones are reported
/// at the end of the script. In a program that embeds the host, they are reported as soon as the
/// script can no longer reach the request. (UNH-01 to UNH-12) Home thread only.
package final class UnhandledRequests {
  private struct Entry {
    let mark: RequestMark
    let name: String
    let error: RequestError

    /// Whether the script can still check it: through the request, or through the resource that it
    /// loads.
    var isReachable: Bool { mark.handle != 0 || mark.loaded.map { $0.hostHandle != 0 } ?? false }
  }

  /// The maximum number reported individually.
  private static let most = 20

  private unowned let reporter: Reporter
  /// Whether nothing is reported, because the lines come from a user or a pipe.
  var isSilent = false
  private var entries: [Entry] = []
  /// The number of failures that `fold` has removed from `entries`.
  private var foldedCount = 0
  /// The number of entries at which settled ones are next folded into a count.
  private var due = 1000

  init(_ reporter: Reporter) { self.reporter = reporter }

  /// Records a request that has settled.
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
  /// - Returns: The mark to set if the script reads the failure.
  func note(_ error: RequestError, following resource: Resource) -> RequestMark {
    let mark = RequestMark()
    mark.loaded = resource
    if case .requestCancelled? = error.cause { return mark }
    note(error, mark, "GET \(LogText.url(resource.url.text))")
    return mark
  }

  private func note(
    _ error: RequestError, _ mark: RequestMark, _ name: String, sent place: UInt64 = 0
  ) {
    guard !isSilent, !reporter.loop.session.isOpen, reporter.permissions.checker == nil else {
      return
    }
    // Script errors are reported where they were raised.
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

  /// Called when the script has read the latest error of a resource, or an observer is about to get
  /// it. The failed request may not have settled yet.
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

  /// Called when the script has checked the failure of a load whose request is about to settle.
  /// This also covers earlier loads of the resource, including those still in flight.
  private func handleLoads(of resource: Resource, sent place: UInt64) {
    handleNoted(of: resource.record)
    for load in resource.loadRequests {
      if let sent = load.sending?.sent, sent < place { load.mark.isHandled = true }
    }
  }

  /// Marks a failure of a resource as handled if a later failure of the same resource has been
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

  /// Limits the memory used, regardless of the number of failures.
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

  /// Reports the failures that the script can no longer reach, or all of them at the end.
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
