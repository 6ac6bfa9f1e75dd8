import LullClients
import LullCore
import LullHost

/// What functions of an API file do, as marks that are the same for the same.
final class FunctionMarks {
  private let places: [(here: [UInt8], there: [UInt8])]
  /// How much is looked at for one picture of a file.
  private var left = 2 * FunctionWording.usualLimit
  /// Whether all that they use has been looked at.
  private(set) var isWhole = true

  /// - Parameter places: where folders of the working tree are instead, and what these are called.
  init(_ places: [(here: String, there: String)]) {
    self.places = places.map { (Array($0.here.utf8), Array($0.there.utf8)) }
  }

  /// Of functions that a setting has been given.
  func mark(of held: [AnyObject]) -> APIPicture.Mark {
    let marks = held.map { function in
      mark((function as? KeptValue)?.wording(limit: limit))
    }
    return FunctionMarks.joined(marks, " ")
  }

  /// Of what is done at its stages, wherever that stands.
  func mark(of pipeline: Pipeline, _ fingerprint: Int) -> APIPicture.Mark {
    var marks: [APIPicture.Mark] = [.init("\(fingerprint)")]
    for stage in pipeline.comparedStages {
      marks.append(.init(stage.name))
      for part in stage.parts {
        switch part {
        case .described(let text): marks.append(.init(text))
        case .functions(let holder):
          marks.append(.init(holder.functionUse))
          marks.append(mark(of: holder.heldFunctions))
        }
      }
    }
    return FunctionMarks.joined(marks, "; ")
  }

  /// Of what tells the next page of a call.
  func mark(ofPages call: APICall, _ text: String) -> APIPicture.Mark {
    FunctionMarks.joined([.init(text), mark(call.pagesWording(limit: limit))], " ")
  }

  // MARK: Parts

  private var limit: Int { min(left, FunctionWording.usualLimit) }

  private func mark(_ wording: FunctionWording?) -> APIPicture.Mark {
    guard let wording else {
      isWhole = false
      // What has failed is not tried for each.
      left -= limit
      return APIPicture.Mark("unknown")
    }
    left -= wording.cost
    isWhole = isWhole && wording.isWhole
    let parts = withoutPlaces(wording.text).split(
      separator: FunctionWording.partEnd, omittingEmptySubsequences: false)
    return APIPicture.Mark("", parts: parts.map { Array($0).hashValue })
  }

  private static func joined(_ marks: [APIPicture.Mark], _ separator: String) -> APIPicture.Mark {
    let parts = marks.compactMap(\.parts)
    return APIPicture.Mark(
      marks.map(\.text).joined(separator: separator),
      // With a mark between two of them.
      parts: parts.isEmpty ? nil : parts.flatMap { [1] + $0 })
  }

  /// The same wherever the working tree is: texts that name files of it.
  private func withoutPlaces(_ text: [UInt8]) -> [UInt8] {
    let plain = places.reduce(text) { FunctionMarks.replacing($1.here, in: $0, by: $1.there) }
    return FunctionMarks.replacing(Array("\"./".utf8), in: plain, by: Array("\"".utf8)) { rest in
      // As modules beside a file are called: not what a script calls so.
      let name = rest.prefix { !"\":\\".utf8.contains($0) }
      return name.count < rest.count && rest[name.endIndex] != UInt8(ascii: "\\")
        && name.reversed().starts(with: ".lua".utf8.reversed())
    }
  }

  private static func replacing(
    _ part: [UInt8], in text: [UInt8], by other: [UInt8],
    where isMeant: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    var index = 0
    while index + part.count <= text.count {
      guard text[index] == part[0], text[index...].starts(with: part),
        isMeant(text[(index + part.count)...])
      else {
        index += 1
        continue
      }
      result += text[start..<index] + other
      index += part.count
      start = index
    }
    return start == 0 ? text : result + text[start...]
  }
}
