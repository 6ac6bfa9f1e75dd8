internal import CSimdjson

/// How the numbers of a document stand in the text it was read from, where that is not how they are
/// written anew: a document keeps integers of 64 bits and doubles. (JSN-12)
package struct JSONSpelling: Sendable {
  private let text: [UInt8]
  /// By place on the tape.
  private let ranges: [Int: Range<Int>]

  /// nil if that is not the text, or nothing would be written otherwise.
  package init?(of document: JSONDocument, in text: [UInt8]) {
    // In UTF-16 and UTF-32 every bracket has a zero byte beside it; no JSON in UTF-8 has any.
    guard !text.contains(0) else { return nil }
    var ranges: [Int: Range<Int>] = [:]
    var reader = NumberReader(text)
    let view = document.view
    var place = Int(CSJ_ROOT)
    while place < view.tape_length {
      let type = csj_type_at(view, place)
      guard type == CSJ_INT || type == CSJ_DOUBLE else {
        place += 1
        continue
      }
      guard let range = reader.next() else { return nil }
      let digits = String(decoding: text[range], as: UTF8.self)
      var isWrittenSo: Bool
      if type == CSJ_INT {
        let number = csj_int_at(view, place)
        isWrittenSo = digits == String(number)
        guard isWrittenSo || digits == "-0" && number == 0 else { return nil }
      } else {
        let number = csj_double_at(view, place)
        guard Double(digits) == number else { return nil }
        // Those of many digits are not written everywhere in the same way.
        isWrittenSo = digits == number.description && (1e-4..<1e15).contains(number.magnitude)
      }
      if !isWrittenSo { ranges[place] = range }
      place += 2
    }
    guard reader.next() == nil, !ranges.isEmpty else { return nil }
    self.text = text
    self.ranges = ranges
  }

  /// The digits of the number at that place; nil if it is written so anew.
  package func digits(at place: Int) -> ArraySlice<UInt8>? { ranges[place].map { text[$0] } }
}

/// Finds the numbers of a text that is known to be JSON, one after the other.
private struct NumberReader {
  private let text: [UInt8]
  private var place = 0

  init(_ text: [UInt8]) { self.text = text }

  mutating func next() -> Range<Int>? {
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = place
        while place < text.count, NumberReader.isNumber(text[place]) { place += 1 }
        return start..<place
      default: place += 1
      }
    }
    return nil
  }

  private mutating func skipString() {
    place += 1
    while place < text.count, text[place] != UInt8(ascii: "\"") {
      place += text[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    place += 1
  }

  private static func isNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
