/// The removed and added lines of a text. (DIFF-05)
///
/// Lines that occur once in both texts serve as anchors, so that long texts take linear time. The
/// lines between two anchors are compared pairwise if they are few, and otherwise count as
/// replaced.
package struct LineDifference {
  struct Line: Equatable {
    let isNew: Bool
    /// The text of the line, including its line break.
    let text: ArraySlice<UInt8>
  }

  /// The maximum number of lines, old and new together, that are compared pairwise.
  private static let few = 1000

  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]
  /// For each old line, the index of the new line that matches it. The indices are ascending. nil
  /// for a removed line.
  package private(set) var matches: [Int?]

  init(_ old: [UInt8], _ new: [UInt8]) {
    self.init(LineDifference.lines(of: old), LineDifference.lines(of: new))
  }

  package init(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) {
    self.old = old
    self.new = new
    matches = Array(repeating: nil, count: old.count)
    compare(old.indices, new.indices)
  }

  /// The removed and added lines. Each group of removed lines is followed by the added lines that
  /// replace it.
  var lines: [Line] {
    var lines: [Line] = []
    var next = 0
    for (place, match) in matches.enumerated() {
      guard let match else {
        lines.append(Line(isNew: false, text: old[place]))
        continue
      }
      lines += new[next..<match].map { Line(isNew: true, text: $0) }
      next = match + 1
    }
    return lines + new[next...].map { Line(isNew: true, text: $0) }
  }

  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for place in text.indices where text[place] == 10 {
      lines.append(text[start...place])
      start = place + 1
    }
    if start < text.count { lines.append(text[start...]) }
    return lines
  }

  private mutating func compare(_ first: Range<Int>, _ second: Range<Int>) {
    var (first, second) = (first, second)
    while let one = first.first, let other = second.first, old[one] == new[other] {
      matches[one] = other
      (first, second) = (first.dropFirst(), second.dropFirst())
    }
    while let one = first.last, let other = second.last, old[one] == new[other] {
      matches[one] = other
      (first, second) = (first.dropLast(), second.dropLast())
    }
    guard !first.isEmpty, !second.isEmpty else { return }
    if first.count + second.count <= LineDifference.few { return compareEach(first, second) }
    let anchors = self.anchors(first, second)
    guard !anchors.isEmpty else { return }
    for (one, other) in anchors {
      matches[one] = other
      compare(first.lowerBound..<one, second.lowerBound..<other)
      first = one + 1..<first.upperBound
      second = other + 1..<second.upperBound
    }
    compare(first, second)
  }

  private mutating func compareEach(_ first: Range<Int>, _ second: Range<Int>) {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in new[second].difference(from: old[first]) {
      switch change {
      case .remove(let offset, _, _): removed.insert(first.lowerBound + offset)
      case .insert(let offset, _, _): inserted.insert(second.lowerBound + offset)
      }
    }
    var other = second.lowerBound
    for one in first where !removed.contains(one) {
      while inserted.contains(other) { other += 1 }
      matches[one] = other
      other += 1
    }
  }

  /// Returns the pairs of lines that occur exactly once on each side, and that are in the same
  /// order on both sides.
  private func anchors(_ first: Range<Int>, _ second: Range<Int>) -> [(Int, Int)] {
    func places(_ lines: [ArraySlice<UInt8>], _ range: Range<Int>) -> [ArraySlice<UInt8>: Int?] {
      var places: [ArraySlice<UInt8>: Int?] = [:]
      for place in range { places[lines[place]] = .some(places[lines[place]] == nil ? place : nil) }
      return places
    }
    let known = places(new, second)
    let once = places(old, first)
    // Finds the longest increasing subsequence by patience sorting. `piles` holds the last card of
    // each pile, and each card refers to the card before it.
    var piles: [(one: Int, other: Int, before: Int?)] = []
    var cards: [(one: Int, other: Int, before: Int?)] = []
    var tops: [Int] = []
    for one in first {
      guard case .some(.some(_)) = once[old[one]], case .some(.some(let other)) = known[old[one]]
      else { continue }
      var (low, high) = (0, piles.count)
      while low < high {
        let middle = (low + high) / 2
        if piles[middle].other < other { low = middle + 1 } else { high = middle }
      }
      let card = (one: one, other: other, before: low > 0 ? tops[low - 1] : nil)
      cards.append(card)
      if low == piles.count {
        piles.append(card)
        tops.append(cards.count - 1)
      } else {
        piles[low] = card
        tops[low] = cards.count - 1
      }
    }
    var result: [(Int, Int)] = []
    var next = tops.last
    while let index = next {
      result.append((cards[index].one, cards[index].other))
      next = cards[index].before
    }
    return result.reversed()
  }
}
