internal import CSimdjson

/// Where each value of a document stands in the one around it, for coding paths.
///
/// Decoding itself keeps no paths: what wants one, mostly an error, has the whole tape looked through
/// once. Types that try one form after the other make an error for each.
final class TapePlaces {
  private unowned let reader: TapeReader
  private let start: Int
  /// By place behind `start`: the container's place, and the position in an array.
  private var parents: [UInt32]
  private var positions: [UInt32]

  init(of reader: TapeReader) {
    self.reader = reader
    let view = reader.view
    start = reader.root.index
    let end = csj_after(view, start)
    parents = Array(repeating: 0, count: end - start)
    positions = parents
    // The containers on the way down, and how many elements each has had.
    var open: [(place: Int, end: Int, count: UInt32)] = []
    var place = start
    while place < end {
      while let last = open.last, place >= last.end {
        open.removeLast()
        place = last.end + 1
      }
      guard place < end else { break }
      let type = csj_type_at(view, place)
      if let last = open.indices.last {
        parents[place - start] = UInt32(open[last].place)
        positions[place - start] = open[last].count
        open[last].count += 1
      }
      if type == CSJ_ARRAY || type == CSJ_OBJECT {
        open.append((place, csj_end(view, place), 0))
        place = csj_first(view, place)
      } else {
        place = csj_after(view, place)
      }
    }
  }

  /// The keys and positions that lead from the outermost value to this one.
  func path(to place: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var place = place
    while place > start {
      let parent = Int(parents[place - start])
      if reader.type(at: parent) == CSJ_OBJECT {
        path.append(PlaceKey(reader.text(at: place - 1)))
      } else {
        path.append(PlaceKey(Int(positions[place - start])))
      }
      place = parent
    }
    return path.reversed()
  }
}

/// A step of a coding path.
struct PlaceKey: CodingKey, CustomStringConvertible {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }

  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init(intValue) }

  var description: String { intValue.map { "[\($0)]" } ?? stringValue }
}
