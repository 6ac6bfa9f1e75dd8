/// The text of scripts, as the stock interpreter takes it from files.
package enum SourceText {
  /// A byte order mark is skipped, and a first line that begins with # is for the shell; its line end
  /// stays, and with it the count of lines, unless a precompiled chunk follows.
  package static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    let rest = bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...]
    return Array(isPrecompiled(rest.dropFirst()) ? rest.dropFirst() : rest)
  }

  /// Whether it begins as a precompiled chunk does, without the marks of a first line.
  package static func isPrecompiled(_ bytes: some Collection<UInt8>) -> Bool { bytes.first == 0x1B }
}
