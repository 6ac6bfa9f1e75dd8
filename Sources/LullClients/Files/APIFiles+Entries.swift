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
    DeclaredCalls.Unread(entries: file.entries) { [weak self] wanted, service in
      guard let self else {
        return APIFiles.failures(of: wanted, in: file, .missing("the API has ended"))
      }
      return read(wanted, of: file, service)
    }
  }

  private func read(_ wanted: [CallEntry], of file: EntryFile, _ service: Service)
    -> [String: DeclaredCalls.Reading]
  {
    let text = file.entries.text(of: wanted)
    let declaration = declaration(
      of: file.source, callsOf: text, path: file.path, name: file.name, nil)
    do throws(APIFileProblem) {
      let readings = try run(
        text, path: file.path, [], kind: "file of an API", file.variables, shown: file.source
      ) { results throws(APIFileProblem) in
        try declaration.readings(results.index(0), results.state, service)
      }
      // All of them are tables with fields.
      let missing = wanted.filter { readings[file.entries.name(of: $0)] == nil }
      let failures = APIFiles.failures(of: missing, in: file, .missing("not enough memory"))
      return readings.merging(failures) { reading, _ in reading }
    } catch {
      guard wanted.count > 1 else { return APIFiles.failures(of: wanted, in: file, error) }
      // It is the fault of one of them.
      return wanted.reduce(into: [:]) { readings, entry in
        readings.merge(read([entry], of: file, service)) { reading, _ in reading }
      }
    }
  }

  private static func failures(
    of entries: [CallEntry], in file: EntryFile, _ problem: APIFileProblem
  ) -> [String: DeclaredCalls.Reading] {
    Dictionary(
      uniqueKeysWithValues: entries.map { (file.entries.name(of: $0), .failure(problem)) })
  }
}
