import CUV

/// The multi handles of one provider. Each has a part of the connections.
///
/// To find or release a connection, curl (7.88) walks over all connections of a multi handle to an
/// origin, used or idle. Many simultaneous exchanges are therefore distributed over several
/// handles, so that the cost of each exchange does not depend on the number of exchanges. Home
/// thread only.
final class CurlMultis {
  /// The number of connections to one origin that share a handle.
  static let shareOfOrigin = 64

  let work = CurlWork()
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let blocksSIGPIPE: Bool
  private let sockets = CurlSocketTable()
  /// The handles by index, created on demand.
  private var multis: [CurlMulti?] = []
  /// The handles for connections that other exchanges must not use, although curl would allow it.
  private var named: [String: CurlMulti] = [:]

  init(loop: UnsafeMutablePointer<uv_loop_t>, blocksSIGPIPE: Bool) {
    self.loop = loop
    self.blocksSIGPIPE = blocksSIGPIPE
  }

  /// Returns the handle with that index, or nil if memory or descriptors run out.
  func multi(at index: Int) -> CurlMulti? {
    while multis.count <= index { multis.append(nil) }
    if let multi = multis[index] { return multi }
    let made = CurlMulti(
      index: index, loop: loop, sockets: sockets, work: work, blocksSIGPIPE: blocksSIGPIPE)
    multis[index] = made
    return made
  }

  /// Returns the handle with that name and `index`, or nil if memory or descriptors run out. The
  /// handle is kept until all handles are closed.
  func multi(named name: String, at index: Int) -> CurlMulti? {
    let name = "\(index) \(name)"
    if let multi = named[name] { return multi }
    let made = CurlMulti(
      index: index, loop: loop, sockets: sockets, work: work, blocksSIGPIPE: blocksSIGPIPE)
    named[name] = made
    return made
  }

  /// Closes the handles that were idle for that many seconds, with their connections. The first
  /// handle stays open. Returns whether other handles are idle that may be closed later.
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
