import CLullBridge
package import LullCore
package import LullHost
import LullLuaSource

/// Converts content to JSON, unchanged or with a Lua expression over `x`.
///
/// The expression can't wait. Home thread only.
package final class ContentFilter {
  private let bridge: BridgeRuntime
  private let callbacks: Callbacks
  private let reader: JSONReader
  /// The ID of the prelude's function that calls another function and encodes its result.
  private let apply: Int64
  private let expression: Chunk
  private let text: FilterText
  /// Whether the filter is applied to the parts of a list one by one. In that case, a field that is
  /// missing in one part may be in another.
  package var isOfParts = false

  package struct Problem: Error {
    /// The error report for standard error.
    package let report: String

    package init(report: String) { self.report = report }
  }

  /// - Parameter text: The expression. nil leaves the content unchanged.
  package init(_ host: LuaHost, _ text: FilterText?) throws(Problem) {
    bridge = host.bridge
    callbacks = host.callbacks
    reader = host.reading.json
    let stored = callbacks.stored
    let surroundings = String(decoding: ShippedScript.filter.bytes, as: UTF8.self)
    let prelude = try ContentFilter.load(
      surroundings, shown: surroundings,
      name: "=" + ContentFilter.preludeName, host.sources, callbacks.reporter)
    let maker = stored.makeID()
    guard lull_list_keep_maker(bridge.pointer, maker) == 0 else {
      throw Problem(report: "lull: not enough memory\n")
    }
    let applied = callbacks.coroutines.ask(prelude.callable, [.ref(maker)], kind: "prelude") {
      results in
      Result { () throws(Misuse) in try stored.keep(results.state, results.index(0)) }
    }
    lull_value_unpin(bridge.pointer, maker)
    guard case .success(.success(let id)) = applied, stored.pin(id) else {
      throw Problem(report: "lull: not enough memory\n")
    }
    apply = id
    self.text = text ?? FilterText("x")
    expression = try ContentFilter.expression(self.text, host.sources, callbacks.reporter)
  }

  private static func expression(
    _ text: FilterText, _ sources: ChunkSources, _ reporter: Reporter
  ) throws(Problem) -> Chunk {
    let head = "local _ENV, x = ...; "
    let shown = text.text
    let name = "=" + text.name
    if !text.isFile, let hint = JQExpression(shown).hint(isWrong: false) {
      throw Problem(report: "lull: -f '\(shown)': \(hint)\n")
    }
    do throws(Problem) {
      // Compile the original expression first, to get error messages about it. The function that is
      // actually run has no tail call, because that would leave no line number for errors.
      let checked = try ContentFilter.load(
        "\(head)return \(shown)", shown: shown, name: name, sources, reporter)
      checked.release()
    } catch {
      if !text.isFile, let hint = JQExpression(shown).hint(isWrong: true) {
        throw Problem(report: "lull: -f '\(shown)': \(hint)\n")
      }
      // A file may have statements before the result, so compile it as a whole too.
      guard text.isFile else { throw error }
      let statements = LuaToken.all(in: shown.utf8).first?.kind == .keyword || text.hasReturn
      guard statements else { throw error }
      let body = try ContentFilter.load(
        head + shown, shown: shown, name: name, sources, reporter)
      guard text.hasReturn else {
        body.release()
        throw Problem(
          report: "lull: \(text.name) has no result: end it with a return statement\n")
      }
      return body
    }
    try rejectSeveral(text, sources, reporter)
    return try ContentFilter.load(
      "\(head)local result = \(shown)\nreturn result", shown: shown, name: name, sources, reporter)
  }

  /// Rejects a list of several values such as `x.name, x.id`. Only the first value would be
  /// written.
  private static func rejectSeveral(
    _ text: FilterText, _ sources: ChunkSources, _ reporter: Reporter
  ) throws(Problem) {
    var depth = 0
    let hasComma = LuaToken.all(in: text.text.utf8).contains { token in
      if ["(", "[", "{"].contains(where: { token.isSymbol($0) }) { depth += 1 }
      if [")", "]", "}"].contains(where: { token.isSymbol($0) }) { depth -= 1 }
      return depth == 0 && token.isSymbol(",")
    }
    // The commas may be inside a function: the arguments and statements of a function may contain
    // them.
    guard hasComma else { return }
    let single = try? load(
      "local _ENV, x = ...; return (\(text.text)\n)", shown: text.text, name: "=" + text.name,
      sources, reporter)
    guard let single else {
      let name = text.isFile ? text.name : "-f '\(text.text)'"
      throw Problem(
        report: "lull: \(name): only one value can be written, got several: make "
          + "a list, { x.a, x.b }, or a record, pick(x, \"a\", \"b\")\n")
    }
    single.release()
  }

  /// Returns the result of the expression for the content, as JSON. Throws the report of an error.
  ///
  /// - Parameters:
  ///   - body: The body that the content was parsed from. Numbers taken from it keep their digits.
  ///   - isOfPages: Whether the content is the list of several pages. An expression that reads this
  ///     list as if it were the object of one page is an error, because its result would silently
  ///     be nil.
  package func json(
    of content: Content, service: Service, spelledBy body: [UInt8]? = nil, isOfPages: Bool = false
  ) throws(Problem) -> [UInt8] {
    let value: LuaValue
    var source: (document: JSONDocument, spelling: JSONSpelling)?
    if case .json(let document) = content {
      value = .view(document)
      if let body, let spelling = JSONSpelling(of: document, in: body) {
        source = (document, spelling)
      }
    } else {
      value = callbacks.values.content(
        content, holder: callbacks.handles.handle(of: service), key: callbacks.stored.makeID(),
        from: nil)
    }
    if case .json(let document) = content, source != nil || isOfPages {
      lull_reads_watch(bridge.pointer, document.pointer)
    }
    defer { lull_reads_watch(bridge.pointer, nil) }
    callbacks.reporter.warnings.hold()
    defer { if !isOfParts { warnOfFields() } }
    let answer = callbacks.coroutines.ask(
      Callable(id: apply), [expression.value, value, .bool(source != nil)], kind: "-f expression"
    ) { results -> [UInt8] in
      let text = results[0].bytes ?? []
      return source.map { spelled(text, results, $0.document, $0.spelling) } ?? text
    }
    // The expression read the list like an object, so neither its result nor its failure is useful.
    if isOfPages, lull_reads_took_list_for_object(bridge.pointer) != 0 {
      throw Problem(
        report:
          "lull: -f '\(text.text)': x is the list of all pages, and has no fields: "
          + "instead of x.items of one page, write flatten(map(x, \"items\"))\n")
    }
    switch answer {
    case .success(let bytes):
      // Reading a field of a list gives nil, which looks like a valid result.
      if bytes.elementsEqual("null".utf8), lull_reads_took_list_for_object(bridge.pointer) != 0 {
        throw Problem(
          report: "lull: -f '\(text.text)': x is a list, and has no fields: x[1] is its first "
            + "element, map(x, \"name\") is the field of each\n")
      }
      guard (try? JSONDocument(parsing: bytes)) != nil else {
        throw Problem(report: "lull: the result of -f cannot be written as JSON\n")
      }
      return bytes
    case .failure(.failed(let failure)):
      throw Problem(
        report: callbacks.reporter.isInterruption(failure)
          ? "" : callbacks.reporter.describe(ContentFilter.shown(failure, of: text)))
    case .failure(.gone): throw Problem(report: "lull: not enough memory\n")
    }
  }

  /// Warns about fields in the expression that no row had.
  package func warnOfFields() { callbacks.reporter.warnings.release() }

  /// Returns a result with the server's digits. The prelude has marked the parts and floats in the
  /// result.
  private func spelled(
    _ marked: [UInt8], _ results: RunResults, _ document: JSONDocument, _ spelling: JSONSpelling
  ) -> [UInt8] {
    var noted: UnsafePointer<UInt64>?
    let count = lull_reads_noted(bridge.pointer, &noted)
    // The pointer is valid until the expression runs again. It has ended and is not run here.
    let places = UnsafeBufferPointer(start: noted, count: count).map { Int($0) }
    var digits = ServerDigits(document, spelling, reads: places)
    var parts: [Int64: [UInt8]] = [:]
    try? LuaTable(results.index(1), in: results.state).forEachField { key, _ throws(Misuse) in
      let index = LuaTable.visitedIndex(in: results.state)
      var place: UInt64 = 0
      if lull_document_at(results.state, index, &place) == document.pointer {
        parts[key.integer] = digits.text(ofPartAt: Int(place))
      } else {
        parts[key.integer] = try? reader.text(of: results.state, index).get()
      }
    }
    return digits.text(
      of: marked, parts: { parts[Int64($0)] ?? [] },
      isMade: marked.first == ServerDigits.floatMark && ServerDigits.computes(text.text))
  }

  /// Returns the expression's result for content as a document.
  package func document(of content: Content, service: Service) throws(Problem) -> JSONDocument {
    let bytes = try json(of: content, service: service)
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw Problem(report: "lull: the result of -f cannot be written as JSON\n")
    }
    return document
  }

  private static func load(
    _ text: String, shown: String, name: String, _ sources: ChunkSources, _ reporter: Reporter
  ) throws(Problem) -> Chunk {
    do throws(Chunk.Problem) {
      return try sources.compile(
        Array(text.utf8), name: Array(name.utf8), shown: Array(shown.utf8))
    } catch {
      throw Problem(
        report: reporter.describe(
          syntaxError: error.message, in: Array(shown.utf8), name: String(name.dropFirst())))
    }
  }
}
