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
  private let kind: String
  private var source: Source { kind == "openapi" ? .document : .requests }
  private var shownPath: String { String(escaping: path) }

  /// - Parameter kind: what is imported, as the command calls it.
  init(_ path: String, of kind: String) {
    self.path = Array(path.utf8)
    self.kind = kind
  }

  /// As variables and the API are called after it.
  var name: String { String((shownPath.split(separator: "/").last ?? "api.lua").dropLast(4)) }

  /// nil if nothing may be written there, which has been said.
  func open() -> ImportedFiles? {
    do throws(ImportedFiles.Refusal) {
      let files = try ImportedFiles(path)
      // Command lines are added to whatever is there; of all else what is there would go.
      guard kind != "curl", let other = otherKind(of: files) else { return files }
      throw .refused(
        "\(shownPath): it was imported by 'lull import \(other)', which would be lost: name another file "
          + "with -o, or move it away")
    } catch {
      _ = report(error)
      return nil
    }
  }

  /// What was imported there before, if that is something else.
  func otherKind(of files: ImportedFiles) -> String? {
    files.base.flatMap { ImportOrigin.kind(in: $0) }.flatMap { $0 == kind ? nil : $0 }
  }

  /// Says how the environment `mock` is used.
  func tellMock() {
    tell(
      "the environment 'mock' is served by 'lull mock \(shownPath) --port \(ImportedAPI.mockPort)'"
    )
  }

  func write(_ api: ImportedAPI, _ files: ImportedFiles) -> Int32 {
    write(api, Array(APIFileWriter.text(of: api).utf8), files)
  }

  /// Adds calls to what was imported from elsewhere.
  ///
  /// - Parameter new: the file that is there, with them.
  func add(_ api: ImportedAPI, _ new: [UInt8], _ files: ImportedFiles) -> Int32 {
    do throws(ImportedFiles.Refusal) {
      try files.write(try files.added(new), imported: files.base ?? new, schemas: nil)
    } catch {
      return report(error)
    }
    tell(api)
    return 0
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
    let gone = files.takenOut(by: new)
    if !gone.isEmpty {
      let shown = gone.prefix(10).map { "'\(LogText.part($0, limit: 60))'" }.joined(separator: ", ")
      let more = gone.count > 10 ? " and \(ImportTarget.grouped(gone.count - 10)) more" : ""
      tell(
        "taken out: \(gone.count == 1 ? "call" : "calls") \(shown)\(more): not imported any more")
    }
    tell(api)
    return 0
  }

  private func tell(_ api: ImportedAPI) {
    tellNotes(of: api)
    let variables = source == .requests ? api.variables : []
    if !variables.isEmpty {
      tell("to be set in the environment: \(variables.joined(separator: ", "))")
    }
    let summary = "\(shownPath): \(ImportTarget.summary(of: api, source))"
    _ = Output.write(ControlCharacters.shownInLine(summary) + "\n")
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
    Exit.complain("lull: \(ControlCharacters.shownInLine(text))\n")
  }

  private func report(_ refusal: ImportedFiles.Refusal) -> Int32 {
    switch refusal {
    case .refused(let text):
      tell(text)
      return 3
    case .conflicts(let conflicts):
      for conflict in conflicts {
        Exit.complain(
          ControlCharacters.shownInLine("\(shownPath):\(conflict.line): \(conflict.text)") + "\n")
      }
      let places = conflicts.count == 1 ? "a place was" : "\(conflicts.count) places were"
      let other = source == .document ? "the document" : "what is imported"
      tell("\(shownPath) is unchanged: \(places) changed there and in \(other)")
      return 1
    }
  }
}
