import CLullBridge
import LullArguments
package import LullCore
import LullHost
import LullLuaSource

/// A field of the table that `config.lua` returns: the default of an option of the HTTP commands.
package struct VerbDefault {
  package enum Value {
    case flag(Bool)
    /// A string, or a number converted to one.
    case text(String)
    /// A table of names and texts, sorted by name.
    case table([(name: String, text: String)])
  }

  package let key: String
  package let value: Value
  /// The place of the field in the file.
  package let place: SourcePlace
}

extension APIFiles {
  /// Reads the defaults that the file `config.lua` returns.
  ///
  /// - Parameter known: The allowed keys.
  package func defaults(
    in source: [UInt8], path: String, known: [String]
  ) throws(APIFileProblem) -> [VerbDefault] {
    try run(source, path: path, [], kind: "file of defaults") { results throws(APIFileProblem) in
      try VerbDefaultReader(places: DeclarationPlaces(source), path: path, known: known)
        .read(results[0], results.index(0), results.state)
    }
  }
}

/// Reads the table that `config.lua` returns.
private struct VerbDefaultReader {
  let places: DeclarationPlaces
  let path: String
  let known: [String]

  func read(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) throws(APIFileProblem)
    -> [VerbDefault]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .declaration(
        SourcePlace(file: path, line: places.lineOfResult),
        "a file of defaults returns a table such as { timeout = 10 }, not \(value.described)")
    }
    var defaults: [VerbDefault] = []
    var failure: APIFileProblem?
    let visited = Result { () throws(Misuse) in
      try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
        guard failure == nil else { return }
        do throws(APIFileProblem) {
          defaults.append(try self.value(key, value, state))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    if case .failure(let misuse) = visited {
      throw .declaration(SourcePlace(file: path, line: places.lineOfResult), misuse.text)
    }
    return defaults.sorted { $0.key < $1.key }
  }

  private func value(
    _ key: lull_value, _ value: lull_value, _ state: OpaquePointer?
  ) throws(APIFileProblem) -> VerbDefault {
    let name = key.string ?? key.described
    let place = SourcePlace(file: path, line: max(places.line(of: [name]), 1))
    guard known.contains(name) else {
      let near = NearestName.suggestion(for: name, among: known)
      throw .declaration(
        place,
        "there is no default '\(LogText.part(name, limit: 60))'"
          + (near.map { " (did you mean '\($0)'?)" }
            ?? "; the defaults are \(known.joined(separator: ", "))"))
    }
    if let flag = value.bool { return VerbDefault(key: name, value: .flag(flag), place: place) }
    if let text = value.text {
      return VerbDefault(key: name, value: .text(text), place: place)
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw .declaration(place, "'\(name)' cannot be \(LogText.part(value.described, limit: 60))")
    }
    var pairs: [(name: String, text: String)] = []
    let table = LuaTable.visitedIndex(in: state)
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
        guard let field = key.string, let text = value.text else {
          throw .message(
            "every field of '\(name)' must be a name with a text, got \(value.described)")
        }
        pairs.append((field, text))
      }
    }
    if case .failure(let misuse) = visited { throw .declaration(place, misuse.text) }
    return VerbDefault(key: name, value: .table(pairs.sorted { $0.name < $1.name }), place: place)
  }
}
