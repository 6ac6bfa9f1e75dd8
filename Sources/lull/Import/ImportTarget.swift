import LullCore
import LullHost
import LullImport
import LullSystem

/// The file that an import creates or changes, and the messages about it.
struct ImportTarget {
  /// The kind of source.
  enum Source {
    /// A document, which may have a thousand calls.
    case document
    /// A GraphQL schema, which may have as many.
    case schema
    /// Requests, whose calls get generated names.
    case requests
  }

  private let path: [UInt8]
  private let kind: String
  private var source: Source {
    switch kind {
    case "openapi": .document
    case "graphql": .schema
    default: .requests
    }
  }
  private var shownPath: String { String(escaping: path) }

  /// - Parameter kind: The format, as named on the command line.
  init(_ path: String, of kind: String) {
    self.path = Array(path.utf8)
    self.kind = kind
  }

  /// The name of the API, also used for variables.
  var name: String { String((shownPath.split(separator: "/").last ?? "api.lua").dropLast(4)) }

  /// Opens the file. If it must not be written, reports that and returns `nil`.
  func open() -> ImportedFiles? {
    do throws(ImportedFiles.Refusal) {
      let files = try ImportedFiles(path)
      // curl commands are added to any imported file. Other imports would replace its content.
      guard kind != "curl", let other = otherKind(of: files) else { return files }
      throw .refused(
        "\(shownPath) was imported by 'lull import \(other)' and is left unchanged: name another file "
          + "with -o, or move this file away")
    } catch {
      _ = report(error)
      return nil
    }
  }

  /// The format of an earlier import into this file. `nil` if there was none, or if it had the same
  /// format.
  func otherKind(of files: ImportedFiles) -> String? {
    files.base.flatMap { ImportOrigin.kind(in: $0) }.flatMap { $0 == kind ? nil : $0 }
  }

  /// Explains how to use the environment `mock`.
  func tellMock() {
    tell(
      "the environment 'mock' is served by 'lull mock \(shownPath) --port \(ImportedAPI.mockPort)'"
    )
  }

  func write(_ api: ImportedAPI, _ files: ImportedFiles) -> Int32 {
    write(api, Array(APIFileWriter.text(of: api).utf8), files)
  }

  /// Adds calls to a file that was imported from another format.
  ///
  /// - Parameter new: The current file with the calls added.
  func add(_ api: ImportedAPI, _ new: [UInt8], _ files: ImportedFiles) -> Int32 {
    do throws(ImportedFiles.Refusal) {
      try files.write(try files.added(new), imported: files.base ?? new, schemas: nil)
    } catch {
      return report(error)
    }
    tell(api)
    return 0
  }

  /// Merges the import with the current file, writes the result and reports it. Returns the exit
  /// code.
  ///
  /// - Parameters:
  ///   - new: The newly imported file.
  ///   - schemas: The schema file. `nil`: there are no schemas.
  ///   - others: Other files beside the API file. `nil`: the import has none.
  func write(
    _ api: ImportedAPI, _ new: [UInt8], _ files: ImportedFiles, schemas: [UInt8]? = nil,
    others: [ImportedFile]? = nil
  ) -> Int32 {
    do throws(ImportedFiles.Refusal) {
      let merged = try files.merged(with: new)
      let all = others ?? []
      let others = others.map { ImportTarget.needed($0, for: api, in: merged) }
      let outdated = files.outdated(others ?? [])
      let used = ImportTarget.used(by: api, besides: all)
      let left = try files.write(
        merged, imported: new, schemas: schemas, others: others, used: used)
      for name in outdated {
        tell(
          "\(folder)\(name) is kept, because you have changed it, although the schema has changed too: "
            + "to get the new operation, delete the file and import again")
      }
      for name in left {
        tell("\(folder)\(name) is kept, because you have changed it, but no call uses it any more")
      }
    } catch {
      return report(error)
    }
    let gone = files.takenOut(by: new)
    if !gone.isEmpty {
      let shown = gone.prefix(10).map { "'\(LogText.part($0, limit: 60))'" }.joined(separator: ", ")
      let more = gone.count > 10 ? " and \(ImportTarget.grouped(gone.count - 10)) more" : ""
      tell(
        "removed: \(gone.count == 1 ? "call" : "calls") \(shown)\(more): no longer imported")
    }
    tell(api)
    return 0
  }

  /// The folder of the file in messages, with a slash at its end, or empty.
  var folder: String {
    shownPath.lastIndex(of: "/").map { String(shownPath[...$0]) } ?? ""
  }

  /// Leaves out the operations whose calls the user has removed from the file.
  private static func needed(
    _ others: [ImportedFile], for api: ImportedAPI, in merged: [UInt8]
  ) -> [ImportedFile] {
    guard let known = ImportedFiles.calls(in: merged) else { return others }
    let used = Set(api.calls.filter { known.contains($0.name) }.compactMap(\.graphQLFile))
    let all = Set(api.calls.compactMap(\.graphQLFile))
    return others.filter { used.contains($0.name) || !all.contains($0.name) }
  }

  /// The names of the files that the API file uses and the import does not write.
  private static func used(by api: ImportedAPI, besides others: [ImportedFile]) -> Set<String> {
    Set(api.calls.compactMap(\.graphQLFile) + (api.graphQL.map { [$0] } ?? []))
      .subtracting(others.map(\.name))
  }

  private func tell(_ api: ImportedAPI) {
    tellNotes(of: api)
    let variables = source == .document ? [] : api.variables
    if !variables.isEmpty {
      tell("set these environment variables: \(variables.joined(separator: ", "))")
    }
    let summary = "\(shownPath): \(ImportTarget.summary(of: api, source))"
    _ = Output.write(ControlCharacters.shownInLine(summary) + "\n")
  }

  /// Reports the parts that were left out or changed.
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
      let other =
        switch source {
        case .document: "the document"
        case .schema: "the schema"
        case .requests: "the import"
        }
      tell("\(shownPath) is unchanged: \(places) changed both in the file and in \(other)")
      return 1
    }
  }
}
