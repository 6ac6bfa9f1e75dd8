/// What functions take from around them may be another one each time that a file is run: the time, a number by chance.
extension APIPicture {
  /// The marks of all functions, in order.
  var functionMarks: [Mark] {
    (sets.joined().map(\.mark) + calls.flatMap { $0.traits.map(\.mark) }).filter { $0.parts != nil }
  }

  private var functionParts: Set<Int> { Set(functionMarks.flatMap { $0.parts ?? [] }) }

  /// What functions do here, and not in a second picture of the same, and the other way round.
  func unsteadyParts(beside second: APIPicture) -> Set<Int> {
    functionParts.symmetricDifference(second.functionParts)
  }

  /// The same with one part in the place of all these.
  func steadied(_ parts: Set<Int>) -> APIPicture {
    func steadied(_ mark: Mark) -> Mark {
      Mark(mark.text, parts: mark.parts?.map { parts.contains($0) ? 0 : $0 })
    }
    var picture = self
    for set in sets.indices {
      for index in sets[set].indices {
        picture.sets[set][index].mark = steadied(sets[set][index].mark)
      }
    }
    for call in calls.indices {
      for index in calls[call].traits.indices {
        picture.calls[call].traits[index].mark = steadied(calls[call].traits[index].mark)
      }
    }
    return picture
  }
}
