/// Names and values as forms of browsers write them, in a body or a query: in the order they come, a space
/// as `+`, everything else escaped but letters, digits and `-._~`. (ITM-05)
package enum PairEncoding {
  package static func encode(_ pairs: [(name: String, value: String)]) -> [UInt8] {
    var result: [UInt8] = []
    for (number, (name, value)) in pairs.enumerated() {
      if number > 0 { result.append(UInt8(ascii: "&")) }
      append(name, to: &result)
      result.append(UInt8(ascii: "="))
      append(value, to: &result)
    }
    return result
  }

  private static func append(_ text: String, to result: inout [UInt8]) {
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    for (number, word) in words.enumerated() {
      if number > 0 { result.append(UInt8(ascii: "+")) }
      ResourceURL.Escaping.append(word, to: &result, keeping: ResourceURL.Escaping.unreserved)
    }
  }
}
