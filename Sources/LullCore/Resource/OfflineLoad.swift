/// A load while the service is offline: what memory or the caches have, whatever its age.
///
/// Order of events: if the resource's caches are being looked into, it waits for what they have, which
/// the resource delivers; then it completes with the resource's data, as not new, or fails with
/// `TransportError.Kind.offline`. Nothing is sent, decorated or written.
package final class OfflineLoad: Request {
  private let loader: Resource

  init(of resource: Resource) {
    loader = resource
    super.init(pump: resource.pump)
  }

  override package var target: (any RequestTarget)? { loader }
  override package var method: RequestMethod? { .get }
  override package var url: String? { loader.url.text }
  override package var openParts: [Request] { lookup.map { [$0] } ?? [] }

  override package func repeated() -> Request { OfflineLoad(of: loader) }

  override package func begin() {
    guard let lookup else { return answer() }
    // Its data is delivered by an earlier hook.
    lookup.onCompletion { [self] _ in
      if !isCompleted { answer() }
    }
  }

  private var lookup: CacheLookup? {
    if case .running(let lookup) = loader.record.cacheCheck { return lookup }
    return nil
  }

  private func answer() {
    if let data = loader.record.state.latestData {
      return complete(with: .success(data, isNew: false))
    }
    var error = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .transport(
        .offline("Offline, and \(LogText.url(loader.url.text)) is not in the cache")),
      timestamp: pump.clock.now)
    error.method = method
    error.url = url
    complete(with: .failure(error))
  }
}

extension Resource {
  /// The load of an offline service, listed and not begun.
  func offlineLoad(from source: LoadPlan.Source?) -> Request {
    if source == .caches { lookAgain() }
    let load = OfflineLoad(of: self)
    track(load)
    return load
  }

  /// Others may have written to the caches since this was looked for in vain.
  private func lookAgain() {
    guard case .over = record.cacheCheck else { return }
    record.cacheCheck = .idle(noneAsOf: -1)
    checkCaches()
  }
}
