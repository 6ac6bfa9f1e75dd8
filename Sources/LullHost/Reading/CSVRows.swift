import CLullBridge
import LullCore

/// The rows that a script writes as CSV. Each row is a table keyed by column name, a list, or a row
/// of a parsed document.
struct CSVRows {
  /// The names of the columns in order of appearance. The fields of a Lua table have no order, so
  /// their names are sorted.
  private(set) var columns: [[UInt8]]
  private let isOpen: Bool
  private let json: JSONReader
  /// The columns for nested values, keyed by the first part of the dotted column name. (FLT-03)
  private var inner: [[UInt8]: [(column: Int, names: ArraySlice<String>)]] = [:]
  private var positions: [[UInt8]: Int] = [:]
  private var rows: [[(column: Int, text: [UInt8])]] = []
  /// Whether the rows are lists; nil before the first row that is not empty.
  private var areLists: Bool?
  /// The names of fields that have no column. They are taken from the first row that has fields
  /// without a column.
  private var others: [[UInt8]] = []
  /// The indices of the columns that occur in at least one row.
  private var seen: Set<Int> = []
  /// The number of values in the longest row that is a list.
  private var width = 0

  /// Creates an empty set of rows.
  ///
  /// - Parameter columns: the names of the columns to write; nil to write all fields of the rows.
  init(columns: [[UInt8]]?, _ json: JSONReader) {
    self.columns = columns ?? []
    self.json = json
    isOpen = columns == nil
    for (position, name) in self.columns.enumerated() {
      positions[name] = position
      guard let way = FieldPath(String(decoding: name, as: UTF8.self)).ways.last, way.count > 1
      else { continue }
      inner[Array(way[0].utf8), default: []].append((position, way.dropFirst()))
    }
  }

  /// Returns the rows as CSV text.
  func text(
    hasHeader: Bool, delimiter: UInt8, guardsFormulas: Bool
  ) throws(Misuse) -> [UInt8] {
    var writer = CSVWriter(delimiter: delimiter, guardsFormulas: guardsFormulas)
    guard !rows.isEmpty || !columns.isEmpty else { return [] }
    guard !columns.isEmpty || width > 0 else {
      throw .message("cannot encode as CSV: the rows have no fields, and no columns are set")
    }
    if hasHeader, !columns.isEmpty { writer.write(columns) }
    for row in rows {
      var fields = [[UInt8]](repeating: [], count: columns.isEmpty ? row.count : columns.count)
      for (column, text) in row { fields[column] = text }
      writer.write(fields)
    }
    return writer.output
  }

  /// The names of the requested columns that no row has. Empty if the rows are lists.
  var missing: [[UInt8]] {
    guard !isOpen, areLists == false else { return [] }
    return columns.indices.filter { !seen.contains($0) }.map { columns[$0] }
  }

  /// The field names from which a replacement for a missing column may be chosen.
  var names: [String] { (columns + others).map { String(escaping: $0) } }

  // MARK: Reading

  /// Reads the list of rows at a stack index.
  mutating func read(_ index: Int32, in state: OpaquePointer?) throws(Misuse) {
    var place: UInt64 = 0
    if let document = lull_document_at(state, index, &place) {
      let root = JSONElement(document: JSONDocument(sharing: document), index: Int(place))
      guard root.kind == .array else { throw CSVRows.noList() }
      for element in root.elements { try read(element) }
      return
    }
    if lull_push_read_only(state, index) != 0 {
      defer { lull_pop(state, 1) }
      return try read(lull_stack_top(state), in: state)
    }
    let count = Int(lull_table_length(state, index))
    var fields = 0
    try LuaTable(index, in: state).forEachField { key, _ throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), (1...max(1, count)).contains(Int(key.integer)) else {
        throw CSVRows.noList()
      }
      fields += 1
    }
    guard fields == count else { throw CSVRows.noList() }
    for position in 0..<count {
      var row = lull_value()
      lull_push_element(state, index, Int64(position + 1), &row)
      defer { lull_pop(state, 1) }
      try read(row, at: lull_stack_top(state), in: state)
    }
  }

  private static func noList() -> Misuse {
    .argument(1, "a list of rows expected, each a table or a list")
  }

  private mutating func read(_ row: lull_value, at index: Int32, in state: OpaquePointer?)
    throws(Misuse)
  {
    var place: UInt64 = 0
    if let document = lull_document_at(state, index, &place) {
      return try read(JSONElement(document: JSONDocument(sharing: document), index: Int(place)))
    }
    guard row.kind == Int32(LULL_TABLE) else {
      throw problem("a row must be a table, got \(row.described)")
    }
    var named: [(name: [UInt8], text: [UInt8]?)] = []
    var listed: [(column: Int, text: [UInt8])] = []
    var deep: [(column: Int, text: [UInt8])] = []
    let number = rows.count + 1
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      let place = LuaTable.visitedIndex(in: state)
      if key.kind == Int32(LULL_INTEGER) {
        let text = try text(of: value, at: place, state, row: number, column: "\(key.integer)")
        guard let column = Int(exactly: key.integer), column > 0 else {
          throw CSVRows.problem(number, "a row has no field \(key.integer)")
        }
        listed.append((column - 1, text))
      } else {
        guard let name = key.bytes else {
          throw CSVRows.problem(number, "the name of a field must be a string, got \(key.typeName)")
        }
        let isWanted = isOpen || positions[name] != nil
        named.append(
          (
            name,
            isWanted
              ? try text(
                of: value, at: place, state, row: number, column: "'\(String(escaping: name))'")
              : nil
          ))
        for (column, names) in inner[name] ?? [] {
          let text = try text(inside: value, at: place, state, names, row: number, column)
          if let text { deep.append((column, text)) }
        }
      }
    }
    guard named.isEmpty || listed.isEmpty else {
      throw problem("a row must have either names or positions as keys, not both")
    }
    named.sort { $0.name.lexicographicallyPrecedes($1.name) }
    if listed.isEmpty { try add(named: named, deep) } else { try add(listed: listed) }
  }

  private mutating func read(_ row: JSONElement) throws(Misuse) {
    switch row.kind {
    case .object:
      var named: [(name: [UInt8], text: [UInt8]?)] = []
      var deep: [(column: Int, text: [UInt8])] = []
      for (key, value) in row.pairs {
        let name = Array(key.utf8)
        let isWanted = isOpen || positions[name] != nil
        named.append((name, isWanted ? CSVRows.text(of: value) : nil))
        for (column, names) in inner[name] ?? [] {
          if let text = CSVRows.text(inside: value, names) { deep.append((column, text)) }
        }
      }
      try add(named: named, deep)
    case .array:
      var listed: [(column: Int, text: [UInt8])] = []
      for element in row.elements {
        listed.append((listed.count, CSVRows.text(of: element)))
      }
      try add(listed: listed)
    default: throw problem("a row must be an object or a list")
    }
  }

  // MARK: Adding

  /// Adds a row that has named fields.
  ///
  /// - Parameters:
  ///   - fields: the fields of the row. `text` is nil for a field that has no column.
  ///   - deep: the texts of nested values, each with the index of its column.
  private mutating func add(
    named fields: [(name: [UInt8], text: [UInt8]?)], _ deep: [(column: Int, text: [UInt8])]
  ) throws(Misuse) {
    guard fields.isEmpty || areLists != true else {
      throw problem("other rows are lists, but this one has names")
    }
    if !fields.isEmpty { areLists = false }
    var row: [(column: Int, text: [UInt8])] = []
    row.reserveCapacity(fields.count)
    for (name, text) in fields {
      if positions[name] == nil, isOpen {
        positions[name] = columns.count
        columns.append(name)
      }
      if let column = positions[name], let text { row.append((column, text)) }
    }
    // A field whose name is the whole name of a column takes precedence over a nested value.
    for (column, text) in deep where !row.contains(where: { $0.column == column }) {
      row.append((column, text))
    }
    if !isOpen {
      for (column, _) in row { seen.insert(column) }
      if others.isEmpty {
        others = fields.map(\.name).filter { positions[$0] == nil }
      }
    }
    rows.append(row)
  }

  private mutating func add(listed fields: [(column: Int, text: [UInt8])]) throws(Misuse) {
    guard fields.isEmpty || areLists != false else {
      throw problem("other rows have names, but this one is a list")
    }
    if !fields.isEmpty { areLists = true }
    let last = fields.reduce(0) { max($0, $1.column + 1) }
    guard last == fields.count else {
      throw problem("a list contains nil; use lull.null for an empty field")
    }
    guard isOpen || fields.count <= columns.count else {
      throw problem("it has \(fields.count) fields, but there are \(columns.count) columns")
    }
    width = max(width, fields.count)
    rows.append(fields)
  }

  // MARK: Fields

  /// Returns the CSV text of a value. A table becomes JSON, as with the command's option `-o csv`.
  private func text(
    of value: lull_value, at index: Int32, _ state: OpaquePointer?, row: Int,
    column: @autoclosure () -> String
  ) throws(Misuse) -> [UInt8] {
    switch Int(value.kind) {
    case Int(LULL_NIL), Int(LULL_NULL): return []
    case Int(LULL_BOOLEAN): return Array((value.integer != 0 ? "true" : "false").utf8)
    case Int(LULL_INTEGER), Int(LULL_DIGITS): return Array((value.text ?? "").utf8)
    case Int(LULL_STRING):
      guard let bytes = value.bytes else { throw .message("not enough memory") }
      return bytes
    case Int(LULL_NUMBER):
      guard value.number.isFinite else {
        throw CSVRows.problem(row, "column \(column()): a number is not finite")
      }
      var writer = JSONWriter(digits: .printf)
      writer.write(value.number)
      return writer.output
    default:
      var place: UInt64 = 0
      guard value.kind == Int32(LULL_TABLE) || lull_document_at(state, index, &place) != nil else {
        let article = "AEIOU".contains(value.typeName.prefix(1)) ? "an" : "a"
        throw CSVRows.problem(
          row, "column \(column()): \(article) \(value.typeName) has no CSV form")
      }
      switch json.text(of: state, index) {
      case .success(let text): return text
      case .failure(let problem):
        throw CSVRows.problem(row, "column \(column()): \(problem.text)")
      }
    }
  }

  /// Returns the text of a value nested inside `value`. `names` are the field names on the path to
  /// the nested value. Returns nil if the nested value does not exist.
  private func text(
    inside value: lull_value, at index: Int32, _ state: OpaquePointer?,
    _ names: ArraySlice<String>, row: Int, _ column: Int
  ) throws(Misuse) -> [UInt8]? {
    guard let name = names.first else {
      return try text(
        of: value, at: index, state, row: row,
        column: "'\(String(escaping: columns[column]))'")
    }
    var place: UInt64 = 0
    if let document = lull_document_at(state, index, &place) {
      let element = JSONElement(document: JSONDocument(sharing: document), index: Int(place))
      return CSVRows.text(inside: element, names)
    }
    guard value.kind == Int32(LULL_TABLE) else { return nil }
    var found: [UInt8]?
    try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
      guard key.text == name else { return }
      found = try text(
        inside: field, at: LuaTable.visitedIndex(in: state), state, names.dropFirst(), row: row,
        column)
    }
    return found
  }

  private static func text(inside value: JSONElement, _ names: ArraySlice<String>) -> [UInt8]? {
    guard let name = names.first else { return text(of: value) }
    switch value.kind {
    case .object: return value[name].flatMap { text(inside: $0, names.dropFirst()) }
    case .array:
      guard let place = Int(name), place > 0 else { return nil }
      for (number, element) in value.elements.enumerated() where number == place - 1 {
        return text(inside: element, names.dropFirst())
      }
      return nil
    default: return nil
    }
  }

  private static func text(of value: JSONElement) -> [UInt8] {
    switch value.kind {
    case .null: return []
    case .string: return Array((value.string ?? "").utf8)
    default:
      var writer = JSONWriter(digits: .printf)
      writer.write(value)
      return writer.output
    }
  }

  private func problem(_ reason: String) -> Misuse { CSVRows.problem(rows.count + 1, reason) }

  private static func problem(_ row: Int, _ reason: String) -> Misuse {
    .message("cannot encode as CSV: row \(row): \(reason)")
  }
}
