import CLullBridge
import LullCore

extension APIOwner {
  static let csv = APIOwner.module(
    "lull.csv", "Functions for CSV: rows as text, for spreadsheets and other programs (RFC 4180).",
    """
    Fields are bytes and are not changed. A spreadsheet reads a field that begins with `=`, `+`, \
    `-` or `@` as a formula, even if it is quoted. If a spreadsheet will open the text and the \
    fields come from untrusted sources, pass `guard = true`, which puts a `'` before such fields.
    """,
    entries: [
      .function(
        "encode", "(rows: table[]|Document, columns?: string[], options?: CSVOptions): string",
        "Returns rows as CSV with a header. Each row is one line, and lines end in CR LF.",
        """
        Each row is a table with names as keys, or a list; the rows may also be a document. \
        Without `columns`, each name is a column, in the order of first appearance; names that \
        first appear in a Lua table are sorted within that table. With `columns`, only these \
        columns are written, in the given order, and other fields are ignored. A column such as \
        `owner.login` is the field `login` of the field `owner`, unless the row has a field with \
        exactly that name. Rows that are lists have a header only with `columns`. nil and \
        `lull.null` become empty fields, numbers and booleans are written as in JSON, and tables \
        as JSON text. Any other value that is not text raises an error with row and column.
        """,
        example: """
          local users = assert(api("/users"):load():await()).content
          for line in lull.csv.encode(users, { "name", "id" }):gmatch("[^\\r\\n]+") do
            print(line)                            --> name,id
          end                                      --> Ann,7
          --> Ben,8
          """, rules: "ENC-20 ENC-21 ENC-22 ENC-120 ENC-160"
      ) { call throws(Misuse) in
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
            // The column may be missing because Lua tables omit the null values of content.
            if lull_is_omitted_name(call.state, name) != 0 { continue }
            call.reporter.warnings.warn(
              ofField: name, among: rows.names.filter { $0 != name }, by: "lull.csv.encode",
              at: place
            )
          }
        }
        let text = try rows.text(
          hasHeader: options.hasHeader, delimiter: options.delimiter,
          guardsFormulas: options.guardsFormulas)
        call.return(.bytes(text))
      },
      .function(
        "decode", "(text: string, options?: CSVOptions): table[]?, string[]|string|nil",
        """
        Returns the rows of a CSV text, as tables with the header's names as keys, and a list of \
        these names; returns nil and an error message if the text is not valid.
        """,
        """
        Values are strings, also the values of empty fields. Lines may also end in LF or CR, empty \
        lines are ignored, and a byte-order mark is skipped. A row with more or fewer fields than \
        the header is an error, so that truncated text is noticed. With `header = false` all rows \
        are lists of any length.
        """,
        example: """
          local rows, columns = assert(lull.csv.decode('id,note\\r\\n7,"a ""b"" c"\\r\\n'))
          print(rows[1].id, rows[1].note, #columns)  --> 7 a "b" c 2
          print(lull.csv.decode("1;2", { header = false, delimiter = ";" })[1][2])  --> 2
          """, rules: "ENC-23 ENC-24"
      ) { call throws(Misuse) in
        let options = try CSVOptions(call, 1)
        guard !options.guardsFormulas else {
          throw .message(
            "'guard' is an option of lull.csv.encode: lull.csv.decode does not remove an added '")
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
    ])

  static let csvOptions = APIOwner.table(
    "CSVOptions", "Options of `lull.csv.encode` and `lull.csv.decode`.",
    entries: [
      .field(
        "header", "boolean?", "Whether the first line has the names of the columns; default true."),
      .field(
        "delimiter", "string?", "The separator of fields, one ASCII character; default `\",\"`."),
      .field(
        "guard", "boolean?",
        """
        For `encode`: put a `'` before fields that a spreadsheet reads as a formula; default \
        false.
        """,
        """
        With `guard`, the `'` is put before fields and column names that begin with `=`, `+`, `-` \
        or `@` (full width too), a tab or a line break. Plain numbers such as `-5` and `+1e3` are \
        unchanged. `lull.csv.decode` does not remove the `'`.
        """),
    ])
}

extension APIOwner {
  static let csvKeys = ["header", "delimiter", "guard"]

  /// The memory that a field needs in Lua in addition to its text, in bytes.
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
        "the column '\(LogText.part(String(escaping: name), limit: 60))' appears twice in the header "
          + "(line \(parser.line(ofRow: 0))); { header = false } returns rows as lists")
    }
    var rows: [LuaValue] = []
    rows.reserveCapacity(parser.rowCount - 1)
    for row in 1..<parser.rowCount {
      let fields = parser.fields(ofRow: row)
      guard fields.count == names.count else {
        return call.fail(
          "a row has \(fields.count) fields, but the header has \(names.count) (line "
            + "\(parser.line(ofRow: row))); { header = false } returns rows as lists")
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
        throw .argument(position + 1, "the column '\(String(escaping: name))' appears twice")
      }
      columns.append(name)
    }
    guard !columns.isEmpty else {
      throw .argument(position + 1, "a list of names expected, got an empty table")
    }
    return columns
  }
}

/// The options of `lull.csv.encode` and `lull.csv.decode`.
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
      of: call.index(position), in: call.state, known: APIOwner.csvKeys
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
