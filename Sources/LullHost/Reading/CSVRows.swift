import CLullBridge
import LullCore

/// Rows of a script on their way to CSV: tables by names or lists, or a document of them.
struct CSVRows {
  /// Columns in the order they come up; of one table sorted, for it has no order.
  private(set) var columns: [[UInt8]]
  private let isOpen: Bool
  private var positions: [[UInt8]: Int] = [:]
  private var rows: [[(column: Int, text: [UInt8])]] = []
  /// Whether rows are lists; nil before the first one that holds something.
  private var areLists: Bool?
  /// The longest list.
  private var width = 0

  /// - Parameter columns: nil: whatever there is.
  init(columns: [[UInt8]]?) {
    self.columns = columns ?? []
    isOpen = columns == nil
    for (position, name) in self.columns.enumerated() { positions[name] = position }
  }

  /// All of them as text.
  func text(hasHeader: Bool, delimiter: UInt8) throws(Misuse) -> [UInt8] {
    var writer = CSVWriter(delimiter: delimiter)
    guard !rows.isEmpty || !columns.isEmpty else { return [] }
    guard !columns.isEmpty || width > 0 else {
      throw .message("cannot encode as CSV: no row has a field, and no columns are given")
    }
    if hasHeader, !columns.isEmpty { writer.write(columns) }
    for row in rows {
      var fields = [[UInt8]](repeating: [], count: columns.isEmpty ? row.count : columns.count)
      for (column, text) in row { fields[column] = text }
      writer.write(fields)
    }
    return writer.output
  }

  // MARK: Reading

  /// Reads the list at `index`.
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
    var named: [(name: [UInt8], text: [UInt8])] = []
    var listed: [(column: Int, text: [UInt8])] = []
    let number = rows.count + 1
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      if key.kind == Int32(LULL_INTEGER) {
        let text = try CSVRows.text(of: value, row: number, column: "\(key.integer)")
        guard let column = Int(exactly: key.integer), column > 0 else {
          throw CSVRows.problem(number, "a row has no field \(key.integer)")
        }
        listed.append((column - 1, text))
      } else {
        guard let name = key.bytes else {
          throw CSVRows.problem(number, "the name of a field must be a string, got \(key.typeName)")
        }
        let text = try CSVRows.text(of: value, row: number, column: "'\(String(escaping: name))'")
        named.append((name, text))
      }
    }
    guard named.isEmpty || listed.isEmpty else {
      throw problem("a row has either names or positions, not both")
    }
    named.sort { $0.name.lexicographicallyPrecedes($1.name) }
    if listed.isEmpty { try add(named: named) } else { try add(listed: listed) }
  }

  private mutating func read(_ row: JSONElement) throws(Misuse) {
    let number = rows.count + 1
    switch row.kind {
    case .object:
      var named: [(name: [UInt8], text: [UInt8])] = []
      for (key, value) in row.pairs {
        named.append(
          (Array(key.utf8), try CSVRows.text(of: value, row: number, column: "'\(key)'")))
      }
      try add(named: named)
    case .array:
      var listed: [(column: Int, text: [UInt8])] = []
      for element in row.elements {
        let column = listed.count
        listed.append(
          (column, try CSVRows.text(of: element, row: number, column: "\(column + 1)")))
      }
      try add(listed: listed)
    default: throw problem("a row must be an object or a list")
    }
  }

  // MARK: Adding

  private mutating func add(named fields: [(name: [UInt8], text: [UInt8])]) throws(Misuse) {
    guard fields.isEmpty || areLists != true else {
      throw problem("some rows are lists, and this one has names")
    }
    if !fields.isEmpty { areLists = false }
    var row: [(column: Int, text: [UInt8])] = []
    row.reserveCapacity(fields.count)
    for (name, text) in fields {
      if positions[name] == nil, isOpen {
        positions[name] = columns.count
        columns.append(name)
      }
      if let column = positions[name] { row.append((column, text)) }
    }
    rows.append(row)
  }

  private mutating func add(listed fields: [(column: Int, text: [UInt8])]) throws(Misuse) {
    guard fields.isEmpty || areLists != false else {
      throw problem("some rows have names, and this one is a list")
    }
    if !fields.isEmpty { areLists = true }
    let last = fields.reduce(0) { max($0, $1.column + 1) }
    guard last == fields.count else {
      throw problem("a list has nil in it; lull.null is an empty field")
    }
    guard isOpen || fields.count <= columns.count else {
      throw problem("it has \(fields.count) fields, and there are \(columns.count) columns")
    }
    width = max(width, fields.count)
    rows.append(fields)
  }

  // MARK: Fields

  private static func text(of value: lull_value, row: Int, column: @autoclosure () -> String)
    throws(Misuse) -> [UInt8]
  {
    switch Int(value.kind) {
    case Int(LULL_NULL): return []
    case Int(LULL_BOOLEAN): return Array((value.integer != 0 ? "true" : "false").utf8)
    case Int(LULL_INTEGER): return Array(String(value.integer).utf8)
    case Int(LULL_STRING):
      guard let bytes = value.bytes else { throw .message("not enough memory") }
      return bytes
    case Int(LULL_NUMBER):
      guard value.number.isFinite else {
        throw problem(row, "column \(column()): a number is not finite")
      }
      var writer = JSONWriter(digits: .printf)
      writer.write(value.number)
      return writer.output
    default:
      let article = "AEIOU".contains(value.typeName.prefix(1)) ? "an" : "a"
      throw problem(row, "column \(column()): \(article) \(value.typeName) has no CSV form")
    }
  }

  private static func text(
    of value: JSONElement, row: Int, column: @autoclosure () -> String
  ) throws(Misuse) -> [UInt8] {
    switch value.kind {
    case .null: return []
    case .string: return Array((value.string ?? "").utf8)
    case .bool, .int, .double:
      var writer = JSONWriter(digits: .printf)
      writer.write(value)
      return writer.output
    case .array, .object:
      throw problem(row, "column \(column()): a table has no CSV form")
    }
  }

  private func problem(_ reason: String) -> Misuse { CSVRows.problem(rows.count + 1, reason) }

  private static func problem(_ row: Int, _ reason: String) -> Misuse {
    .message("cannot encode as CSV: row \(row): \(reason)")
  }
}
