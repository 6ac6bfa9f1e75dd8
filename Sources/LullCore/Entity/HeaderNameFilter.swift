/// Which names may be among many headers, so that setting one that is not does not look at all of them.
///
/// It never misses a name; of those that are not there one in sixteen passes among two thousand.
struct HeaderNameFilter: Sendable {
  private static let bitCount: UInt64 = 1 << 15
  /// None of few headers: then any name may be there.
  private var words: [UInt64] = []

  var isOn: Bool { !words.isEmpty }

  /// Begins without any name.
  mutating func turnOn() {
    words = [UInt64](repeating: 0, count: Int(HeaderNameFilter.bitCount / 64))
  }

  mutating func turnOff() { words = [] }

  mutating func insert(_ name: some Sequence<UInt8>) {
    guard isOn else { return }
    let bit = HeaderNameFilter.bit(of: name)
    words[bit / 64] |= 1 << UInt64(bit % 64)
  }

  func mayHold(_ name: some Sequence<UInt8>) -> Bool {
    guard isOn else { return true }
    let bit = HeaderNameFilter.bit(of: name)
    return words[bit / 64] & 1 << UInt64(bit % 64) != 0
  }

  /// FNV-1a, whatever the case of letters.
  private static func bit(of name: some Sequence<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name {
      hash = (hash ^ UInt64(byte >= 65 && byte <= 90 ? byte | 0x20 : byte)) &* 0x100_0000_01b3
    }
    return Int((hash ^ hash >> 32) % bitCount)
  }
}

extension HeaderNameFilter: Equatable {
  /// It says nothing that the headers do not.
  static func == (one: HeaderNameFilter, other: HeaderNameFilter) -> Bool { true }
}
