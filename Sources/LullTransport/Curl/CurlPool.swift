/// The curl handles of one provider: those in use, and idle ones to use again.
final class CurlPool {
  private static let maxIdle = 64

  /// What curl reads at once: much where few are in use, so that large bodies need fewer system calls,
  /// and little where the memory of many adds up.
  private static let (largeBuffer, smallBuffer) = (64 << 10, 16 << 10)

  private let make: (_ receiveBufferSize: Int) -> CurlEasy?
  private var idle: [CurlEasy] = []
  private(set) var inUse: [CurlEasy] = []

  init(make: @escaping (_ receiveBufferSize: Int) -> CurlEasy?) {
    self.make = make
  }

  /// A handle to set up anew; nil if memory runs out.
  func take() -> CurlEasy? {
    let size = inUse.count < CurlPool.maxIdle ? CurlPool.largeBuffer : CurlPool.smallBuffer
    guard let easy = idle.popLast() ?? make(size) else { return nil }
    easy.place = inUse.count
    inUse.append(easy)
    return easy
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
    if idle.count < CurlPool.maxIdle { idle.append(easy) }
  }
}
