import Foundation

/// Puts data into the gzip format without making it smaller.
///
/// What is to be tried is whether clients undo the encoding, and for them stored blocks are as good
/// as any; compressing would cost a dependency on zlib.
enum StoredGzip {
  static func data(_ data: Data) -> Data {
    var result = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
    var rest = data[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      append(UInt16(block.count), to: &result)
      append(~UInt16(block.count), to: &result)
      result.append(block)
    } while !rest.isEmpty
    append(crc32(data), to: &result)
    append(UInt32(truncatingIfNeeded: data.count), to: &result)
    return result
  }

  private static func append(_ value: some FixedWidthInteger, to data: inout Data) {
    withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
  }

  private static func crc32(_ data: Data) -> UInt32 {
    ~data.reduce(~0 as UInt32) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
        crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1
      }
    }
  }
}
