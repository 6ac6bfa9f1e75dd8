extension APIOwner {
  static let csv = APIOwner.module(
    "lull.csv", "Tables as text for spreadsheets and other programs (RFC 4180).",
    """
    Fields are bytes and stay what they are. A spreadsheet takes a field that begins with `=`, `+`, `-` or \
    `@` for a formula, quoted or not. If a spreadsheet will open the text and others have written the fields, \
    pass `guard = true`: such fields then begin with `'`.
    """,
    entries: [
      .function(
        "encode", "(rows: table[]|Document, columns?: string[], options?: CSVOptions): string",
        "Rows as CSV with a header, one line each, lines ending in CR LF.",
        """
        Rows are tables by names, or lists, or a document of these. Without `columns` all names there are \
        come in the order they come up, those of one table sorted; with it only these, in that order: other \
        fields are ignored, whatever they hold. A column such as `owner.login` is the field `login` of the \
        field `owner`, if there is none of its name as it stands. Lists have a header only if there are \
        `columns`. nil and `lull.null` are empty, numbers are as JSON has them, a table is JSON text; \
        anything else that is no text raises, with row and column.
        """,
        example: """
          local users = assert(api("/users"):load():await()).content
          for line in lull.csv.encode(users, { "name", "id" }):gmatch("[^\\r\\n]+") do
            print(line)                            --> name,id
          end                                      --> Ann,7
          --> Ben,8
          """, rules: "ENC-20 ENC-21 ENC-22 ENC-120 ENC-160"),
      .function(
        "decode", "(text: string, options?: CSVOptions): table[]?, string[]|string|nil",
        "The rows of CSV as tables by the names of its header, and these names; nil and why if it is none.",
        """
        Values are strings, empty ones too. Lines may end in LF or CR as well, empty ones do not count, and \
        a byte-order mark is skipped. A row with more or fewer fields than the header is a failure, so that \
        a text that was cut off is seen; with `header = false` all rows are lists, however long.
        """,
        example: """
          local rows, columns = assert(lull.csv.decode('id,note\\r\\n7,"a ""b"" c"\\r\\n'))
          print(rows[1].id, rows[1].note, #columns)  --> 7 a "b" c 2
          print(lull.csv.decode("1;2", { header = false, delimiter = ";" })[1][2])  --> 2
          """, rules: "ENC-23 ENC-24"),
    ])

  static let csvOptions = APIOwner.table(
    "CSVOptions", "Options of `lull.csv.encode` and `lull.csv.decode`.",
    entries: [
      .field(
        "header", "boolean?", "Whether the first line has the names of the columns; default true."),
      .field(
        "delimiter", "string?", "What stands between fields, one ASCII character; default `\",\"`."),
      .field(
        "guard", "boolean?",
        "Of `encode`: put a `'` before fields that a spreadsheet takes for a formula; default false.",
        """
        These are fields and names of columns that begin with `=`, `+`, `-` or `@` (of full width too), a tab or \
        the end of a line. Plain numbers such as `-5` and `+1e3` stay. `lull.csv.decode` does not take the `'` away.
        """),
    ])
}
