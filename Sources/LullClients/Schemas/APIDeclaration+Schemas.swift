import CLullBridge
import LullCore
import LullHost

/// Reads the settings of an API file about the schemas for responses.
extension APIDeclaration {
  /// Returns the path of the schemas file, which is next to the API file.
  func schemasPath(_ value: lull_value) throws(Misuse) -> String {
    let name = try value.text("schemas")
    guard !name.isEmpty, !name.contains("/"), !name.utf8.contains(0) else {
      throw .message(
        "'schemas' must be the name of a file in the same folder, such as \"\(self.name).schemas.json\", "
          + "got '\(name)'")
    }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return folder + name
  }

  /// Reads a schema as a table, or the name of a definition in the schemas file.
  func schema(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) throws(Misuse)
    -> CallSchema
  {
    if value.kind == Int32(LULL_STRING) { return .definition(try value.text("schema")) }
    guard value.kind == Int32(LULL_TABLE) || value.bool != nil else {
      throw .message(
        "'schema' must be a JSON Schema as a table, or the name of one in the file of schemas, got "
          + value.described)
    }
    switch reading.json.text(of: state, index) {
    case .failure(let problem): throw .message("'schema' cannot be encoded: \(problem.text)")
    case .success(let bytes):
      do throws(JSONError) {
        return .document(try JSONDocument(parsing: bytes))
      } catch {
        throw .message("'schema' cannot be encoded: \(error)")
      }
    }
  }

  /// Returns whether any call in a table of calls declares its own schema.
  func haveSchemas(_ table: Int32, _ state: OpaquePointer?) throws(APIFileProblem) -> Bool {
    var isFound = false
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { _, value throws(Misuse) in
        guard !isFound, value.kind == Int32(LULL_TABLE) else { return }
        try LuaTable(LuaTable.visitedIndex(in: state), in: state).forEachField {
          key, _ throws(Misuse) in
          if key.string == "schema" { isFound = true }
        }
      }
    }
    if case .failure(let misuse) = visited { throw problem(["calls"], misuse.text) }
    return isFound
  }
}
