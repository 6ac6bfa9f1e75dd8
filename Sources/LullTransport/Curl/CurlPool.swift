/// The curl handles of one provider: those in use, and idle ones to use again.
final class CurlPool {
  private static let maxIdle = 64

  private let make: () -> CurlEasy?
  private var idle: [CurlEasy] = []
  private(set) var inUse: [CurlEasy] = []

  init(make: @escaping () -> CurlEasy?) {
    self.make = make
  }

  /// A handle to set up anew; nil if memory runs out.
  func take() -> CurlEasy? {
    guard let easy = idle.popLast() ?? make() else { return nil }
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
