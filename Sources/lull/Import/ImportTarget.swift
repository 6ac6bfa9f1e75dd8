import LullCore
import LullHost
import LullImport
import LullSystem

/// The file that an import makes or changes, and what is told of it.
struct ImportTarget {
  /// What is imported.
  enum Source {
    /// A document, which may have a thousand calls.
    case document
    /// Requests, whose calls have been given names.
    case requests
  }

  private let path: [UInt8]
  private let source: Source
  private var shownPath: String { String(escaping: path) }

  init(_ path: String, of source: Source) {
    self.path = Array(path.utf8)
    self.source = source
  }

  /// As variables and the API are called after it.
  var name: String { String((shownPath.split(separator: "/").last ?? "api.lua").dropLast(4)) }

  /// nil if nothing may be written there, which has been said.
  func open() -> ImportedFiles? {
    do throws(ImportedFiles.Refusal) {
      return try ImportedFiles(path)
    } catch {
      _ = report(error)
      return nil
    }
  }

  func write(_ api: ImportedAPI, _ files: ImportedFiles) -> Int32 {
    write(api, Array(APIFileWriter.text(of: api).utf8), files)
  }

  /// - Parameters:
  ///   - new: what there is of it, and of what was there before.
  ///   - schemas: nil: there are none.
  func write(
    _ api: ImportedAPI, _ new: [UInt8], _ files: ImportedFiles, schemas: [UInt8]? = nil
  ) -> Int32 {
    do throws(ImportedFiles.Refusal) {
      let merged = try files.merged(with: new)
      try files.write(merged, imported: new, schemas: schemas)
    } catch {
      return report(error)
    }
    tellNotes(of: api)
    let variables = source == .requests ? api.variables : []
    if !variables.isEmpty {
      tell("to be set in the environment: \(variables.joined(separator: ", "))")
    }
    _ = Output.write("\(shownPath): \(ImportTarget.summary(of: api, source))\n")
    return 0
  }

  /// What is not in the file, or is there in another way.
  func tellNotes(of api: ImportedAPI) {
    for one in api.leftOut { tell("left out: \(one.what): \(one.reason)") }
    for note in api.notes { tell(note) }
  }

  private static func summary(of api: ImportedAPI, _ source: Source) -> String {
    let calls = ImportTarget.counted(api.calls.count)
    let left = api.leftOut.isEmpty ? "" : ", \(grouped(api.leftOut.count)) left out"
    guard source == .requests, api.calls.count <= 5 else { return calls + left }
    return "\(calls) (\(api.calls.map(\.name).joined(separator: ", ")))\(left)"
  }

  static func counted(_ calls: Int) -> String {
    "\(grouped(calls)) \(calls == 1 ? "call" : "calls")"
  }

  private static func grouped(_ number: Int) -> String {
    var text = String(number)
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }

  func tell(_ text: String) {
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
      let other = source == .document ? "the document" : "what is imported"
      tell("\(shownPath) stays as it is: \(places) changed there and in \(other)")
      return 1
    }
  }
}
