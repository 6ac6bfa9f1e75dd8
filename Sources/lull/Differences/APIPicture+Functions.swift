/// What functions take from around them may be another one each time that a file is run: the time, a number by chance.
extension APIPicture {
  /// What of the marks of functions is not compared, by their names.
  typealias Masks = [String: Mask]

  enum Mask {
    case parts(Set<Int>)
    case all
  }

  /// The marks of all functions, by names that are the same in another picture of the same.
  var functionMarks: [String: Mark] {
    var marks: [String: Mark] = [:]
    var copy = self
    copy.changeMarks { name, mark in marks[name] = mark }
    return marks
  }

  /// What is another one in a second picture of the same.
  func unsteadyParts(beside second: APIPicture) -> Masks {
    let others = second.functionMarks
    return functionMarks.compactMapValues { $0.parts }.reduce(into: Masks()) { masks, mark in
      guard let other = others[mark.key]?.parts, other.count == mark.value.count else {
        masks[mark.key] = .all
        return
      }
      let places = mark.value.indices.filter { mark.value[$0] != other[$0] }
      if !places.isEmpty { masks[mark.key] = .parts(Set(places)) }
    }
  }

  /// The same without what masks hide.
  func steadied(_ masks: Masks) -> APIPicture {
    var picture = self
    picture.changeMarks { name, mark in
      switch masks[name] {
      case .parts(let places)?:
        let parts = mark.parts ?? []
        mark.parts = parts.indices.map { places.contains($0) ? 0 : parts[$0] }
      case .all?: mark.parts = []
      case nil: break
      }
    }
    return picture
  }

  private mutating func changeMarks(_ visit: (String, inout Mark) -> Void) {
    var counts: [String: Int] = [:]
    for set in sets.indices {
      for index in sets[set].indices where sets[set][index].mark.parts != nil {
        let name = sets[set][index].name
        counts[name, default: 0] += 1
        visit("\(name) \(counts[name] ?? 0)", &sets[set][index].mark)
      }
    }
    for call in calls.indices {
      for index in calls[call].traits.indices where calls[call].traits[index].mark.parts != nil {
        visit(
          "call \(calls[call].name) \(calls[call].traits[index].name)",
          &calls[call].traits[index].mark)
      }
    }
  }
}

extension APIPicture.Mask {
  /// What either of them hides.
  static func union(_ one: APIPicture.Mask, _ other: APIPicture.Mask) -> APIPicture.Mask {
    guard case .parts(let places) = one, case .parts(let others) = other else { return .all }
    return .parts(places.union(others))
  }
}
