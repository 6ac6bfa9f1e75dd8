/// A block scalar whose first line begins with a tab behind its indentation, which is text.
/// (YAML 1.2, section 6.1)
///
/// libyaml takes the tab for indentation, unless an indentation indicator says where the text
/// begins.
struct BlockScalarTab {
  /// The number of characters before the header of the scalar.
  let header: Int
  /// The indicator that the header lacks.
  let indicator: Int

  /// Writes the indicator behind the `|` or `>` of the header.
  ///
  /// - Returns: whether there is such a header, and such a line behind it.
  func writeIndicator(in bytes: inout [UInt8]) -> Bool {
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var count = 0
    while place < bytes.count {
      // The further bytes of a character are not counted.
      if bytes[place] & 0xC0 != 0x80 {
        if count == header { break }
        count += 1
      }
      place += 1
    }
    guard place < bytes.count, [UInt8(ascii: "|"), UInt8(ascii: ">")].contains(bytes[place]) else {
      return false
    }
    let rest = bytes[(place + 1)...]
    guard !rest.prefix(2).contains(where: { (0x31...0x39).contains($0) }),
      let end = rest.firstIndex(where: BlockScalarTab.isBreak),
      BlockScalarTab.beginWithTab(rest[end...])
    else { return false }
    bytes.insert(0x30 + UInt8(indicator), at: place + 1)
    return true
  }

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  /// Whether the first line that is not empty begins with spaces and a tab, and no empty line
  /// before it is longer than these spaces.
  private static func beginWithTab(_ lines: ArraySlice<UInt8>) -> Bool {
    var (spaces, most) = (0, 0)
    for byte in lines {
      switch byte {
      case _ where isBreak(byte):
        most = max(most, spaces)
        spaces = 0
      case 0x20: spaces += 1
      default: return byte == 9 && most <= spaces
      }
    }
    return false
  }
}
