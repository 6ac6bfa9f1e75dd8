import LullCore
import LullHost
import LullImport
import LullSystem

/// The file that an import makes or changes, and what is told of it.
struct ImportTarget {
  private let shownPath: String
  /// Whether its folder is made if it is missing.
  private let makesFolder: Bool

  init(_ path: String, makesFolder: Bool) {
    shownPath = path
    self.makesFolder = makesFolder
  }

  /// As variables and the API are called after it.
  var name: String { String((shownPath.split(separator: "/").last ?? "api.lua").dropLast(4)) }

  /// nil if nothing may be written there, which has been said.
  func open() -> ImportedFiles? {
    do throws(ImportedFiles.Refusal) {
      return try ImportedFiles(Array(shownPath.utf8), makesFolder: makesFolder)
    } catch {
      _ = report(error)
      return nil
    }
  }

  func write(_ api: ImportedAPI, _ files: ImportedFiles) -> Int32 {
    write(api, Array(APIFileWriter.text(of: api).utf8), files)
  }

  /// - Parameter new: what there is of it, and of what was there before.
  func write(_ api: ImportedAPI, _ new: [UInt8], _ files: ImportedFiles) -> Int32 {
    do throws(ImportedFiles.Refusal) {
      let merged = try files.merged(with: new)
      try files.write(merged, imported: new, schemas: nil)
    } catch {
      return report(error)
    }
    for one in api.leftOut { tell("left out: \(one.what): \(one.reason)") }
    for note in api.notes { tell(note) }
    let variables = api.variables
    if !variables.isEmpty {
      tell("to be set in the environment: \(variables.joined(separator: ", "))")
    }
    let calls = api.calls.count == 1 ? "call" : "calls"
    let left = api.leftOut.isEmpty ? "" : ", \(api.leftOut.count) left out"
    let names =
      api.calls.count > 5
      ? "" : " (\(api.calls.map(\.name).joined(separator: ", ")))"
    _ = Output.write("\(shownPath): \(api.calls.count) \(calls)\(names)\(left)\n")
    return 0
  }

  private func tell(_ text: String) {
    Exit.complain("lull: \(ControlCharacters.shown(in: text))\n")
  }

  private func report(_ refusal: ImportedFiles.Refusal) -> Int32 {
    switch refusal {
    case .refused(let text):
      tell(text)
      return 3
    case .conflicts(let conflicts):
      for conflict in conflicts {
        Exit.complain(
          ControlCharacters.shown(in: "\(shownPath):\(conflict.line): \(conflict.text)") + "\n")
      }
      let places = conflicts.count == 1 ? "a place was" : "\(conflicts.count) places were"
      tell("\(shownPath) stays as it is: \(places) changed there and in what is imported")
      return 1
    }
  }
}
