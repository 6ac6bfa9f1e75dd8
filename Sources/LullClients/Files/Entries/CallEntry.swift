/// A call as an entry of the table of calls, in the text of an API file. There may be thousands.
struct CallEntry {
  /// What is before the `=`.
  let key: LiteralText
  /// nil: it is more than data.
  let outline: CallOutline?
  private let start: UInt32
  private let end: UInt32
  private let lineEndsBefore: UInt32
  private let lineEndsBehind: UInt32
  /// How many lines end before its name.
  let lineEndsBeforeName: UInt32
  /// Where the comma behind it is; 0: there is none.
  private let comma: UInt32

  /// - Parameters:
  ///   - range: from where the key begins to where the value ends.
  ///   - lineEnds: how many lines end before each of the two.
  ///   - separator: where the comma behind it is.
  init(
    key: LiteralText, range: Range<Int>, lineEnds: ClosedRange<Int>, lineEndsBeforeName: Int,
    separator: Int?, outline: CallOutline?
  ) {
    self.key = key
    self.outline = outline
    start = UInt32(range.lowerBound)
    end = UInt32(range.upperBound)
    lineEndsBefore = UInt32(lineEnds.lowerBound)
    lineEndsBehind = UInt32(lineEnds.upperBound)
    self.lineEndsBeforeName = UInt32(lineEndsBeforeName)
    comma = UInt32(separator ?? 0)
  }

  var range: Range<Int> { Int(start)..<Int(end) }
  var lineEnds: ClosedRange<Int> { Int(lineEndsBefore)...Int(lineEndsBehind) }
  var separator: Int? { comma == 0 ? nil : Int(comma) }
}
