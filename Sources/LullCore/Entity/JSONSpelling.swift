internal import CSimdjson

/// How the numbers of a document stand in the text it was read from, where that is not how they are
/// written anew: a document keeps integers of 64 bits and doubles. (JSN-12)
package struct JSONSpelling: Sendable {
  private let text: [UInt8]
  /// By place on the tape.
  private let ranges: [Int: Range<Int>]

  /// nil if that is not the text, or nothing would be written otherwise.
  package init?(of document: JSONDocument, in text: [UInt8]) {
    guard JSONScan.isUTF8(text) else { return nil }
    var ranges: [Int: Range<Int>] = [:]
    var next = JSONScan.start(text)
    let view = document.view
    var place = Int(CSJ_ROOT)
    while place < view.tape_length {
      let type = csj_type_at(view, place)
      guard type == CSJ_INT || type == CSJ_DOUBLE else {
        place += 1
        continue
      }
      guard let range = JSONSpelling.number(in: text, from: &next) else { return nil }
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
    guard JSONSpelling.number(in: text, from: &next) == nil, !ranges.isEmpty else { return nil }
    self.text = text
    self.ranges = ranges
  }

  /// The digits of the number at that place; nil if it is written so anew.
  package func digits(at place: Int) -> ArraySlice<UInt8>? { ranges[place].map { text[$0] } }

  /// The same for who writes the document: calls `body` with a function and what it is to be called with.
  func withSpelling(_ body: (csj_spelling, UnsafeMutableRawPointer) -> Void) {
    text.withUnsafeBufferPointer { bytes in
      var spelled = Spelled(bytes: bytes, ranges: ranges)
      withUnsafeMutablePointer(to: &spelled) { pointer in
        body(
          { context, index, length in
            // What stands below, during the call.
            guard let spelled = context?.assumingMemoryBound(to: Spelled.self).pointee,
              let range = spelled.ranges[index], let start = spelled.bytes.baseAddress
            else { return nil }
            length?.pointee = range.count
            return UnsafeRawPointer(start + range.lowerBound).assumingMemoryBound(to: CChar.self)
          }, pointer)
      }
    }
  }

  private struct Spelled {
    let bytes: UnsafeBufferPointer<UInt8>
    let ranges: [Int: Range<Int>]
  }

  /// The next number at or behind the token that begins at `place`, which moves behind it.
  private static func number(in text: [UInt8], from place: inout Int) -> Range<Int>? {
    while place < text.count {
      let start = place
      let end = JSONScan.tokenEnd(text, start)
      place = JSONScan.token(text, end)
      if JSONScan.beginsNumber(text[start]) { return start..<end }
    }
    return nil
  }
}
