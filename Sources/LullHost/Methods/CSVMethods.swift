import CLullBridge
import LullCore

extension Method {
  static let csvKeys = ["header", "delimiter", "guard"]

  static let csvMethods: [Method] = [
    .function("csv.encode", "vTT") { call throws(Misuse) in
      let options = try CSVOptions(call, 2)
      let names = call.isNil(1) ? nil : try columns(call, 1)
      var rows = CSVRows(columns: names, call.reading.json)
      var place: UInt64 = 0
      guard
        call.raw(0).kind == Int32(LULL_TABLE)
          || lull_document_at(call.state, call.index(0), &place) != nil
      else {
        throw .argument(1, "a list of rows expected, got \(call.raw(0).typeName)")
      }
      try rows.read(call.index(0), in: call.state)
      if let place = call.place {
        for column in rows.missing {
          let name = String(escaping: column)
          // Nulls of content may have been left out.
          if lull_is_omitted_name(call.state, name) != 0 { continue }
          call.reporter.warnings.warn(
            ofField: name, among: rows.names.filter { $0 != name }, by: "lull.csv.encode", at: place
          )
        }
      }
      let text = try rows.text(
        hasHeader: options.hasHeader, delimiter: options.delimiter,
        guardsFormulas: options.guardsFormulas)
      call.return(.bytes(text))
    },
    .function("csv.decode", "sT") { call throws(Misuse) in
      let options = try CSVOptions(call, 1)
      guard !options.guardsFormulas else {
        throw .message("'guard' is an option of lull.csv.encode: a ' that it adds stays")
      }
      try call.makeRoom(2 * call.length(0))
      let outcome = call.raw(0).withBytes { text -> Result<CSVParser, CSVParser.Problem> in
        do throws(CSVParser.Problem) {
          return .success(try CSVParser(text, delimiter: options.delimiter))
        } catch {
          return .failure(error)
        }
      }
      switch outcome {
      case .success(let parser)?: try decode(call, parser, hasHeader: options.hasHeader)
      case .failure(let problem)?: call.fail("\(problem.message) (line \(problem.line))")
      case nil: throw .message("not enough memory")
      }
    },
  ]

  /// What a field costs on its way to Lua, beside its bytes.
  private static let fieldCost = 256

  private static func decode(_ call: Call, _ parser: CSVParser, hasHeader: Bool) throws(Misuse) {
    try call.makeRoom(2 * parser.byteCount + fieldCost * parser.fieldCount)
    guard hasHeader else {
      let rows = (0..<parser.rowCount).map { row in
        LuaValue.list(parser.fields(ofRow: row).map { .bytes(Array($0)) })
      }
      return call.return(.list(rows))
    }
    guard parser.rowCount > 0 else {
      call.return(.list([]))
      return call.return(.list([]))
    }
    let names = parser.fields(ofRow: 0).map { LuaValue.bytes(Array($0)) }
    var seen: Set<ArraySlice<UInt8>> = []
    for name in parser.fields(ofRow: 0) where !seen.insert(name).inserted {
      return call.fail(
        "the header names '\(LogText.part(String(escaping: name), limit: 60))' twice (line "
          + "\(parser.line(ofRow: 0))); { header = false } gives lists")
    }
    var rows: [LuaValue] = []
    rows.reserveCapacity(parser.rowCount - 1)
    for row in 1..<parser.rowCount {
      let fields = parser.fields(ofRow: row)
      guard fields.count == names.count else {
        return call.fail(
          "a row has \(fields.count) fields and the header \(names.count) (line "
            + "\(parser.line(ofRow: row))); { header = false } gives lists")
      }
      rows.append(.table(zip(names, fields).map { ($0, .bytes(Array($1))) }))
    }
    call.return(.list(rows))
    call.return(.list(names))
  }

  private static func columns(_ call: Call, _ position: Int) throws(Misuse) -> [[UInt8]] {
    var columns: [[UInt8]] = []
    let count = Int(lull_table_length(call.state, call.index(position)))
    for element in 0..<count {
      var value = lull_value()
      lull_push_element(call.state, call.index(position), Int64(element + 1), &value)
      defer { lull_pop(call.state, 1) }
      guard let name = value.bytes else {
        throw .argument(position + 1, "a list of names expected, got \(value.typeName) in it")
      }
      guard !columns.contains(name) else {
        throw .argument(position + 1, "the column '\(String(escaping: name))' is there twice")
      }
      columns.append(name)
    }
    guard !columns.isEmpty else {
      throw .argument(position + 1, "a list of names expected, got an empty table")
    }
    return columns
  }
}

/// Options of `lull.csv.encode` and `decode`.
private struct CSVOptions {
  var hasHeader = true
  var delimiter = UInt8(ascii: ",")
  var guardsFormulas = false

  init(_ call: Call, _ position: Int) throws(Misuse) {
    guard !call.isNil(position) else { return }
    var hasHeader = true
    var delimiter = UInt8(ascii: ",")
    var guardsFormulas = false
    try call.reading.options.forEach(
      of: call.index(position), in: call.state, known: Method.csvKeys
    ) { name, value throws(Misuse) in
      if name == "guard" { return guardsFormulas = try value.flag(name) }
      guard name == "delimiter" else { return hasHeader = try value.flag(name) }
      guard let bytes = value.bytes, bytes.count == 1, bytes[0] < 0x80,
        ![0, 10, 13, UInt8(ascii: "\"")].contains(bytes[0])
      else {
        throw .message(
          "'delimiter' must be one character of ASCII, no quote and no line break, got "
            + value.described)
      }
      delimiter = bytes[0]
    }
    self.hasHeader = hasHeader
    self.delimiter = delimiter
    self.guardsFormulas = guardsFormulas
  }
}
