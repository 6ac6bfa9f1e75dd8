import CUV

/// The multi handles of one provider, each with a part of the connections.
///
/// Both when it looks for a connection and when it lets go of one, curl (7.88) walks over all that a
/// multi handle has to an origin, in use or not. Many exchanges at once are therefore spread over
/// several handles, so that each costs the same however many there are. Home thread only.
final class CurlMultis {
  /// Connections to one origin that share a handle.
  static let shareOfOrigin = 64

  let work = CurlWork()
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let blocksSIGPIPE: Bool
  private let sockets = CurlSocketTable()
  /// Made when they are needed.
  private var multis: [CurlMulti?] = []
  /// For connections that must not be used by others although curl would let them.
  private var named: [String: CurlMulti] = [:]

  init(loop: UnsafeMutablePointer<uv_loop_t>, blocksSIGPIPE: Bool) {
    self.loop = loop
    self.blocksSIGPIPE = blocksSIGPIPE
  }

  /// nil if memory or descriptors run out.
  func multi(at index: Int) -> CurlMulti? {
    while multis.count <= index { multis.append(nil) }
    if let multi = multis[index] { return multi }
    let made = CurlMulti(
      index: index, loop: loop, sockets: sockets, work: work, blocksSIGPIPE: blocksSIGPIPE)
    multis[index] = made
    return made
  }

  /// The one of that name in place of that at `index`; nil if memory or descriptors run out. It stays
  /// until all are closed.
  func multi(named name: String, at index: Int) -> CurlMulti? {
    let name = "\(index) \(name)"
    if let multi = named[name] { return multi }
    let made = CurlMulti(
      index: index, loop: loop, sockets: sockets, work: work, blocksSIGPIPE: blocksSIGPIPE)
    named[name] = made
    return made
  }

  /// Closes those but the first that have carried nothing for so long, with their connections;
  /// whether others may follow. Seconds.
  func closeIdle(for seconds: Double) -> Bool {
    let since = uv_now(loop) - min(uv_now(loop), UInt64(seconds * 1000))
    var isAnyEmpty = false
    for case let multi? in multis.dropFirst() {
      guard let emptySince = multi.emptySince else { continue }
      guard emptySince <= since, !multi.hasWork else {
        isAnyEmpty = true
        continue
      }
      multi.close()
      multis[multi.index] = nil
    }
    work.removeIdle()
    return isAnyEmpty
  }

  /// Closes all connections. Every transfer must have been removed.
  func close() {
    for multi in multis { multi?.close() }
    for multi in named.values { multi.close() }
    multis = []
    named = [:]
    work.multis = []
  }
}
