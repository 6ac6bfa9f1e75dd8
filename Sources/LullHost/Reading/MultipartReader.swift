import CLullBridge
import LullCore

/// Reads the parts of a multipart form. The parts of a table `{ name = value }` are sent in the
/// order of their names. The parts of a list of `{ name, value }` are sent in the order of the
/// list.
struct MultipartReader {
  static let partKeys = ["value", "type", "name"]

  private let handles: ObjectHandles
  private let options: OptionReader

  init(_ handles: ObjectHandles, _ options: OptionReader) {
    self.handles = handles
    self.options = options
  }

  func form(table: Int32, in state: OpaquePointer?) throws(Misuse) -> MultipartForm {
    var named: [MultipartForm.Part] = []
    var listed: [(position: Int64, part: MultipartForm.Part)] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      if key.kind == Int32(LULL_INTEGER) {
        listed.append((key.integer, try pair(key.integer, value, index, state)))
      } else {
        guard let name = key.string else {
          throw .message("names of multipart values must be strings, got \(key.typeName)")
        }
        try key.requireText("the name of a multipart value")
        named.append(try part(name, value, index, state))
      }
    }
    guard named.isEmpty || listed.isEmpty else {
      throw .message(
        "a multipart form has either names with values, or a list of { name, value }, not both")
    }
    guard !named.isEmpty || !listed.isEmpty else {
      throw .message("a multipart form needs a value")
    }
    if named.isEmpty {
      return MultipartForm(listed.sorted { $0.position < $1.position }.map(\.part))
    }
    return MultipartForm(named.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }

  /// Reads the list element at a position, which must be `{ name, value }`.
  private func pair(
    _ position: Int64, _ element: lull_value, _ index: Int32, _ state: OpaquePointer?
  ) throws(Misuse) -> MultipartForm.Part {
    let misuse = Misuse.message("multipart value #\(position) must be { name, value }")
    guard element.kind == Int32(LULL_TABLE) else { throw misuse }
    var name: String?
    // The name is read first, because iterating over the table may return the name after the value.
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), (1...2).contains(key.integer) else { throw misuse }
      guard key.integer == 1 else { return }
      guard value.kind == Int32(LULL_STRING) else { throw misuse }
      try value.requireText("the name of a multipart value")
      name = value.string
    }
    guard let name else { throw misuse }
    var part: MultipartForm.Part?
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      guard key.integer == 2 else { return }
      part = try self.part(name, value, LuaTable.visitedIndex(in: state), state)
    }
    guard let part else { throw misuse }
    return part
  }

  private func part(
    _ name: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?
  ) throws(Misuse) -> MultipartForm.Part {
    if let box = handles.object(value, .file, as: FileBox.self) {
      let file = box.file
      guard file.name.text != nil else {
        throw .message(
          "the name of the file '\(file.name)' is not valid UTF-8: set another name with the "
            + "option 'name'")
      }
      return MultipartForm.Part(name, file)
    }
    if value.kind == Int32(LULL_TABLE) { return try described(name, index, state) }
    if let secret = handles.secret(value) { return MultipartForm.Part(name, secret) }
    return MultipartForm.Part(name, try bytes(name, value))
  }

  /// Reads a part that is described by a table `{ value =, type =, name = }`.
  private func described(
    _ name: String, _ index: Int32, _ state: OpaquePointer?
  ) throws(Misuse) -> MultipartForm.Part {
    var bytes: [UInt8]?
    var secret: SecretText?
    var type: String?
    var fileName: String?
    try options.forEach(
      of: index, in: state, known: MultipartReader.partKeys, owner: name
    ) { key, value throws(Misuse) in
      switch key {
      case "value":
        guard handles.object(value, .file, as: FileBox.self) == nil else {
          throw .message(
            "multipart value '\(name)' is a file: set its type and name in lull.file")
        }
        secret = handles.secret(value)
        if secret == nil { bytes = try self.bytes("\(name).value", value) }
      case "type":
        _ = try value.nonEmptyText(key)
        type = try value.headerText(key)
      default: fileName = try value.nonEmptyText(key)
      }
    }
    if let secret {
      return MultipartForm.Part(name, secret, contentType: type, fileName: fileName)
    }
    guard let bytes else { throw .message("multipart value '\(name)' needs 'value'") }
    return MultipartForm.Part(name, bytes, contentType: type, fileName: fileName)
  }

  private func bytes(_ name: String, _ value: lull_value) throws(Misuse) -> [UInt8] {
    if let bytes = value.textBytes ?? value.bool.map({ Array("\($0)".utf8) }) { return bytes }
    throw .message(
      "multipart value '\(name)' must be a string, number, boolean, secret, lull.file or { value =, type =, "
        + "name = }, got \(value.typeName)")
  }
}
