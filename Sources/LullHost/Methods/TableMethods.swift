import CLullBridge
import LullCore

extension Method {
  static let tableMethods: [Method] = [
    .function("table", "vT") { call throws(Misuse) in
      let columns = call.isNil(1) ? [] : try fieldNames(call, 1)
      guard !call.isNil(0) else { throw .argument(1, "a list of rows expected, got nil") }
      var bytes: [UInt8]
      switch call.reading.json.text(of: call.state, call.index(0)) {
      case .success(let text): bytes = text
      case .failure(let problem): throw .message("cannot show as a table: \(problem.text)")
      }
      // Of an empty table it is not known: it has no row.
      if call.raw(0).kind == Int32(LULL_TABLE), bytes == Array("{}".utf8) {
        bytes = Array("[]".utf8)
      }
      let json = JSONText(valid: bytes)
      guard json.kind == .array || json.kind == .object else {
        throw .argument(1, "a list of rows expected, got \(call.raw(0).typeName)")
      }
      let known = columns.isEmpty ? names(ofRows: json, call) : nil
      warn(ofColumns: columns, in: json.lines, call)
      let table = ContentTable(json, columns: columns, known: known)
      call.return(.string(table.text()))
    }
  ]

  /// Warns of columns that no row has.
  private static func warn(ofColumns columns: [String], in rows: [JSONText], _ call: Call) {
    guard !columns.isEmpty, let place = call.place else { return }
    for column in columns {
      guard let part = JSONText.missingPart(of: column, in: rows),
        lull_is_omitted_name(call.state, part.name) == 0
      else { continue }
      call.reporter.warnings.warn(ofField: column, missing: part, by: "lull.table", at: place)
    }
  }

  /// The names that objects among the rows have, in the order they come up; those of one table sorted,
  /// for it has no order.
  private static func names(ofRows json: JSONText, _ call: Call) -> [String] {
    var place: UInt64 = 0
    let isDocument = lull_document_at(call.state, call.index(0), &place) != nil
    var names: [String] = []
    var seen: Set<String> = []
    for (position, row) in json.lines.enumerated() where row.kind == .object {
      let keys = row.members.map(\.key)
      let isOrdered =
        isDocument || json.kind == .array && isDocumentElement(position + 1, call)
      for key in isOrdered ? keys : keys.sorted() where seen.insert(key).inserted {
        names.append(key)
      }
    }
    return names
  }

  private static func isDocumentElement(_ position: Int, _ call: Call) -> Bool {
    var value = lull_value()
    lull_push_element(call.state, call.index(0), Int64(position), &value)
    defer { lull_pop(call.state, 1) }
    var place: UInt64 = 0
    return lull_document_at(call.state, lull_stack_top(call.state), &place) != nil
  }

  private static func fieldNames(_ call: Call, _ position: Int) throws(Misuse) -> [String] {
    var names: [String] = []
    let count = Int(lull_table_length(call.state, call.index(position)))
    for element in 0..<count {
      var value = lull_value()
      lull_push_element(call.state, call.index(position), Int64(element + 1), &value)
      defer { lull_pop(call.state, 1) }
      guard value.kind == Int32(LULL_STRING), let name = value.string, value.isValidUTF8 else {
        throw .argument(position + 1, "a list of names expected, got \(value.described) in it")
      }
      names.append(name)
    }
    guard !names.isEmpty else {
      throw .argument(position + 1, "a list of names expected, got an empty table")
    }
    return names
  }
}
