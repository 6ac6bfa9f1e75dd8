/// What functions take from around them may be another one each time that a file is run: the time, a number by chance.
extension APIPicture {
  /// The marks of all functions, with what they are of.
  var functionMarks: Set<[String]> {
    var marks: Set<[String]> = []
    for setting in sets.joined() where setting.mark.steady != nil {
      marks.insert([setting.name, setting.mark.text])
    }
    for call in calls {
      for trait in call.traits where trait.mark.steady != nil {
        marks.insert([APIPicture.name(trait, of: call), trait.mark.text])
      }
    }
    return marks
  }

  /// What is another one in a second picture of the same.
  func unsteadyNames(beside second: APIPicture) -> Set<String> {
    Set(functionMarks.symmetricDifference(second.functionMarks).map { $0[0] })
  }

  /// The same without what functions take from around them, where that is told nothing by.
  func steadied(_ names: Set<String>) -> APIPicture {
    var picture = self
    for set in sets.indices {
      for index in sets[set].indices where names.contains(sets[set][index].name) {
        picture.sets[set][index].mark.text =
          sets[set][index].mark.steady ?? sets[set][index].mark.text
      }
    }
    for call in calls.indices {
      for index in calls[call].traits.indices {
        let trait = calls[call].traits[index]
        guard names.contains(APIPicture.name(trait, of: calls[call])) else { continue }
        picture.calls[call].traits[index].mark.text = trait.mark.steady ?? trait.mark.text
      }
    }
    return picture
  }

  private static func name(_ trait: Trait, of call: Call) -> String {
    "calls.\(call.name).\(trait.name)"
  }
}
