/// The curl handles of one provider: handles in use, and idle handles for reuse.
final class CurlPool {
  private static let maxIdle = 64

  /// curl's read sizes in bytes. The large size is used if few handles are in use, so that large
  /// bodies need fewer system calls. The small size saves memory if many handles are in use.
  private static let (largeBuffer, smallBuffer) = (64 << 10, 16 << 10)

  private static let maxIdleRouted = 32

  private let make: (_ receiveBufferSize: Int, CurlRoute?, CurlJar?) -> CurlEasy?
  private var idle: [CurlEasy] = []
  /// Idle handles with a route or jar. The handle that was returned last is at the end.
  private var idleRouted: [CurlEasy] = []
  private(set) var inUse: [CurlEasy] = []

  init(make: @escaping (_ receiveBufferSize: Int, CurlRoute?, CurlJar?) -> CurlEasy?) {
    self.make = make
  }

  /// Returns a handle to prepare; nil if memory runs out.
  func take() -> CurlEasy? {
    let size = inUse.count < CurlPool.maxIdle ? CurlPool.largeBuffer : CurlPool.smallBuffer
    guard let easy = idle.popLast() ?? make(size, nil, nil) else { return nil }
    isTaken(easy)
    return easy
  }

  /// Returns an idle handle with that route; nil for none.
  func takeIdle(_ route: CurlRoute) -> CurlEasy? {
    guard let index = idleRouted.lastIndex(where: { $0.route == route }) else { return nil }
    let easy = idleRouted.remove(at: index)
    isTaken(easy)
    return easy
  }

  /// Returns a new handle with that route; nil if memory runs out.
  func take(_ route: CurlRoute, _ jar: CurlJar?) -> CurlEasy? {
    guard let easy = make(CurlPool.smallBuffer, route, jar) else { return nil }
    isTaken(easy)
    return easy
  }

  private func isTaken(_ easy: CurlEasy) {
    easy.place = inUse.count
    inUse.append(easy)
  }

  /// Makes a handle available for reuse. The handle must have left curl.
  func give(_ easy: CurlEasy) {
    easy.finish()
    // The last handle takes the place of the removed one, so that the time does not depend on the
    // number of handles.
    let last = inUse.removeLast()
    if last !== easy {
      last.place = easy.place
      inUse[easy.place] = last
    }
    guard easy.route == nil else {
      if idleRouted.count >= CurlPool.maxIdleRouted { idleRouted.removeFirst() }
      return idleRouted.append(easy)
    }
    if idle.count < CurlPool.maxIdle { idle.append(easy) }
  }
}
