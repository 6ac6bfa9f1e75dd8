/// The curl handles of one provider: those in use, and idle ones to use again.
final class CurlPool {
  private static let maxIdle = 64

  /// What curl reads at once: much where few are in use, so that large bodies need fewer system calls,
  /// and little where the memory of many adds up.
  private static let (largeBuffer, smallBuffer) = (64 << 10, 16 << 10)

  private static let maxIdleRouted = 32

  private let make: (_ receiveBufferSize: Int, CurlRoute?, CurlJar?) -> CurlEasy?
  private var idle: [CurlEasy] = []
  /// Idle ones that are not ordinary; the one given back last is at the end.
  private var idleRouted: [CurlEasy] = []
  private(set) var inUse: [CurlEasy] = []

  init(make: @escaping (_ receiveBufferSize: Int, CurlRoute?, CurlJar?) -> CurlEasy?) {
    self.make = make
  }

  /// A handle to set up anew; nil if memory runs out.
  func take() -> CurlEasy? {
    let size = inUse.count < CurlPool.maxIdle ? CurlPool.largeBuffer : CurlPool.smallBuffer
    guard let easy = idle.popLast() ?? make(size, nil, nil) else { return nil }
    isTaken(easy)
    return easy
  }

  /// An idle handle that is set up for such exchanges already; nil if there is none.
  func takeIdle(_ route: CurlRoute) -> CurlEasy? {
    guard let index = idleRouted.lastIndex(where: { $0.route == route }) else { return nil }
    let easy = idleRouted.remove(at: index)
    isTaken(easy)
    return easy
  }

  /// A new handle for such exchanges; nil if memory runs out.
  func take(_ route: CurlRoute, _ jar: CurlJar?) -> CurlEasy? {
    guard let easy = make(CurlPool.smallBuffer, route, jar) else { return nil }
    isTaken(easy)
    return easy
  }

  private func isTaken(_ easy: CurlEasy) {
    easy.place = inUse.count
    inUse.append(easy)
  }

  /// Takes back a handle that is out of curl.
  func give(_ easy: CurlEasy) {
    easy.finish()
    // The last one moves into the gap: no searching, however many there are.
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
