import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// What functions of an API file do, as marks that are the same for the same.
final class FunctionMarks {
  private let path: [UInt8]
  private let folder: [UInt8]
  /// How much is looked at for one picture of a file.
  private var left = 5 * FunctionWording.usualLimit
  /// Whether all that they use has been looked at.
  private(set) var isWhole = true

  /// - Parameter path: of the file, which is no part of what they do.
  init(ofFile path: String) {
    self.path = Array(path.utf8)
    folder = Array(FileName.folder(of: path).utf8)
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
      return APIPicture.Mark("unknown")
    }
    left -= wording.cost
    isWhole = isWhole && wording.isWhole
    return APIPicture.Mark(
      FunctionMarks.digest(withoutPlaces(wording.text)),
      steady: FunctionMarks.digest(Array(wording.text.prefix(wording.codeCount))))
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    let digest = bytes.withUnsafeBufferPointer { Digest.sha256.of($0) } ?? bytes
    return Hexadecimal.text(digest)
  }

  private static func joined(_ marks: [APIPicture.Mark], _ separator: String) -> APIPicture.Mark {
    let isOfFunctions = marks.contains { $0.steady != nil }
    return APIPicture.Mark(
      marks.map(\.text).joined(separator: separator),
      steady: isOfFunctions
        ? marks.map { $0.steady ?? $0.text }.joined(separator: separator) : nil)
  }

  /// The same whatever the file is called, and wherever it and its modules are.
  private func withoutPlaces(_ text: [UInt8]) -> [UInt8] {
    let plain = FunctionMarks.replacing(path, in: text, by: "file", before: "\":")
    return folder.isEmpty || folder == Array(".".utf8)
      ? plain : FunctionMarks.replacing(folder, in: plain, by: "folder", before: "\"/")
  }

  /// Puts a name in the place of a path that stands at the beginning of a text, or of a word in it.
  private static func replacing(
    _ place: [UInt8], in text: [UInt8], by name: String, before ends: String
  ) -> [UInt8] {
    guard let first = place.first else { return text }
    var result: [UInt8] = []
    var start = 0
    var index = 0
    while index + place.count < text.count {
      guard text[index] == first, text[index...].starts(with: place),
        ends.utf8.contains(text[index + place.count]), index > 0,
        "\"@( \t\n".utf8.contains(text[index - 1])
      else {
        index += 1
        continue
      }
      result += text[start..<index] + Array(name.utf8)
      index += place.count
      start = index
    }
    return result + text[start...]
  }
}
