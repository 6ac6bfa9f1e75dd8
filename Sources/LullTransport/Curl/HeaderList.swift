import CCurl
import LullCore

/// Request headers in curl's form.
enum HeaderList {
  /// A new list that the caller frees; nil if memory runs out.
  ///
  /// Content-Length and Transfer-Encoding are left out: the framing follows the real body. `Expect`
  /// and a default Content-Type, which curl would add on its own, are kept off unless given.
  static func make(_ headers: Headers) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    var isComplete = true
    var line: [CChar] = []
    func append() {
      line.append(0)
      // curl copies the line, which ends with the zero just appended.
      if let longer = curl_slist_append(list, line) { list = longer } else { isComplete = false }
    }
    headers.forEachLine { name, value in
      guard !isFraming(name) else { return }
      line.removeAll(keepingCapacity: true)
      for byte in name { line.append(CChar(bitPattern: byte)) }
      // `name: ` would take curl's own header away, and `name;` is its way to send an empty one.
      if value.allSatisfy({ $0 == 32 || $0 == 9 }) {
        line.append(CChar(UInt8(ascii: ";")))
      } else {
        line.append(CChar(UInt8(ascii: ":")))
        line.append(32)
        for byte in value { line.append(CChar(bitPattern: byte)) }
      }
      append()
    }
    for name: StaticString in ["expect", "content-type"]
    where headers.withFirstValue(name, { _ in true }) == nil {
      line = name.withUTF8Buffer { $0.map { CChar(bitPattern: $0) } }
      line.append(CChar(UInt8(ascii: ":")))
      append()
    }
    guard isComplete else {
      curl_slist_free_all(list)
      return nil
    }
    return list
  }

  private static func isFraming(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.elementsEqual("content-length".utf8) || name.elementsEqual("transfer-encoding".utf8)
  }
}
