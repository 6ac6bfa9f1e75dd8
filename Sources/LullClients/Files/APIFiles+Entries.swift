import LullCore
import LullHost

/// A file whose calls are read later.
struct EntryFile {
  let entries: CallEntries
  let source: [UInt8]
  /// As messages name it.
  let path: String
  let name: String
  /// Those of its environment.
  let variables: FileVariables?
}

/// Calls that are read when they are used.
extension APIFiles {
  /// What is to be read of a file later.
  func unread(_ file: EntryFile) -> DeclaredCalls.Unread {
    DeclaredCalls.Unread(entries: file.entries, source: file.source) {
      [weak self] wanted, service in
      guard let self else {
        return APIFiles.failures(of: wanted, .missing("the API has ended"))
      }
      return read(wanted, of: file, service)
    }
  }

  private func read(_ wanted: [CallEntry], of file: EntryFile, _ service: Service)
    -> [String: DeclaredCalls.Reading]
  {
    let declaration = declaration(of: file.source, path: file.path, name: file.name, nil)
    let text = file.entries.text(of: wanted, in: file.source)
    do throws(APIFileProblem) {
      let readings = try run(
        text, path: file.path, [], kind: "file of an API", file.variables, shown: file.source
      ) { results throws(APIFileProblem) in
        try declaration.readings(results.index(0), results.state, service)
      }
      // All of them are tables with fields.
      let missing = wanted.filter { readings[$0.name] == nil }
      return readings.merging(APIFiles.failures(of: missing, .missing("not enough memory"))) {
        reading, _ in reading
      }
    } catch {
      guard wanted.count > 1 else { return APIFiles.failures(of: wanted, error) }
      // It is the fault of one of them.
      return wanted.reduce(into: [:]) { readings, entry in
        readings.merge(read([entry], of: file, service)) { reading, _ in reading }
      }
    }
  }

  private static func failures(of entries: [CallEntry], _ problem: APIFileProblem)
    -> [String: DeclaredCalls.Reading]
  {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.name, .failure(problem)) })
  }
}
