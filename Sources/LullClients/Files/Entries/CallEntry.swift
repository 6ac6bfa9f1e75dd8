/// A call as an entry of the table of calls, in the text of an API file.
struct CallEntry {
  let name: String
  /// From its key to the end of its table.
  let range: Range<Int>
  /// How many lines end before the two.
  let lineEnds: ClosedRange<Int>
  let outline: CallOutline
}
