import LullClients
import LullCore
import LullHost
import LullSystem

extension CallExchange {
  /// Parses text that contains JSON and shows a note, if the output needs the fields of the
  /// content. Otherwise returns the entity unchanged. (JSN-91)
  func readable(_ entity: Entity) -> Entity {
    guard options.readsFields, options.responseType == nil, !entity.isTextByDecision,
      let bytes = bytesOfJSON(entity)
    else { return entity }
    let type =
      entity.contentType.isEmpty
      ? "has no type" : "is \(LogText.part(entity.contentType, limit: 60))"
    switch bytes.withUnsafeBufferPointer({ JSONRecognition($0) }) {
    case .document(let document):
      spelling.read(bytes, as: document.hasLines ? .values : .whole)
      if spelling.isFirst(.recognised) {
        Exit.complain(
          "lull: note: the response \(type), and is read as JSON; --as text reads it as text\n")
      }
      var entity = entity
      entity.content = .json(document)
      return entity
    case .malformed(let error):
      if spelling.isFirst(.malformed) {
        let cause = RequestError.Cause.malformedJSON(message: error.message, offset: error.offset)
        Exit.complain(
          "lull: note: the response \(type), and is read as text: it begins like JSON, but is"
            + " malformed: \(cause.message)\n")
      }
      return entity
    case .other: return entity
    }
  }

  /// The bytes that may be JSON. `nil` for content that is neither text nor bytes.
  private func bytesOfJSON(_ entity: Entity) -> [UInt8]? {
    switch entity.content {
    case .text(let text):
      // If no charset is named, JSON is in UTF-8, whatever charset the text was decoded with.
      // (JSN-101)
      if entity.charset == nil, let bytes = spelling.bytes(of: entity),
        bytes.contains(0)
          || bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil
      {
        return bytes
      }
      return Array(text.utf8)
    case .bytes(let bytes): return bytes
    default: return nil
    }
  }
}

extension CallExchange {
  /// The width of a chart in columns if the output is not a terminal.
  private static let usualWidth = 80

  /// Returns the JSON as the command line requests it: as a chart, or in an output format.
  func bytes(ofJSON json: JSONText) throws(ContentFilter.Problem) -> [UInt8] {
    guard let field = options.chart else {
      warnOfColumns(in: json)
      return text.bytes(of: json)
    }
    let chart: Chart
    do throws(Chart.Problem) {
      chart = try Chart(json, field: field)
    } catch {
      throw ContentFilter.Problem(report: "lull: \(error.message)\n")
    }
    if json.count == 0 { Exit.complain("lull: the list is empty, so there is nothing to draw\n") }
    // Leave a line for the shell prompt.
    let limit = TerminalWidth.rows(of: 1).map { max($0 - 1, 1) }
    let width = style.isTerminal && style.width < .max ? style.width : CallExchange.usualWidth
    return Array(
      chart.text(
        width: width, limit: style.isTerminal ? limit : nil, isTerminal: style.isTerminal
      ) { style.painted($0, "36") }.utf8)
  }

  /// Warns about requested columns that no row has. Without the warning, a misspelled column would
  /// look like empty cells.
  func warnOfColumns(in json: JSONText) {
    guard options.namesColumns, options.format == .table || options.format == .csv else { return }
    let rows = json.lines.filter { $0.kind == .object }
    for column in options.columns {
      guard let part = JSONText.missingPart(of: column, in: rows) else { continue }
      let near = part.suggestion
      Exit.complain(
        "lull: warning: no row has '\(LogText.part(column, limit: 60))'"
          + (near.map { " (did you mean '\($0)'?)" } ?? "") + "\n")
    }
  }

  /// Returns the content as a chart.
  func chart(
    of content: Content, _ filter: ContentFilter?
  ) throws(ContentFilter.Problem) -> [UInt8] {
    if let filter {
      let made = try filter.json(of: content, service: api.service, spelledBy: spelling.bytes)
      return try bytes(ofJSON: JSONText(valid: made))
    }
    guard case .json(let element) = try CallContent(content, of: api.service, in: host) else {
      throw ContentFilter.Problem(
        report: "lull: --chart needs a JSON list, but the response is not JSON: -o raw shows it\n"
      )
    }
    let json = JSONText(element, spelledBy: spelling.bytes)
    return try bytes(ofJSON: try options.rows?.of(json) ?? json)
  }
}

/// Handles responses that do not match their schema.
extension CallExchange {
  /// Warns that responses are not validated because there is no schema, if the command line
  /// requests validation.
  func tellOfNoSchema(_ request: CallRequest) {
    guard options.validation != nil else { return }
    let known = api.service.schemas?.explanation(
      of: request.method, request.resource.url.text,
      request.bodyBytes)
    if let known, !known.isNothing { return }
    Exit.complain(
      "lull: warning: --validate: "
        + (known?.text ?? "nothing is validated, because no API file has schemas") + "\n")
  }

  /// The schema violations as JSON, written instead of the content.
  static func json(of misfits: [ContentMisfit], _ style: OutputStyle) -> [UInt8] {
    let errors = misfits.map { misfit in
      JSONValue.object([
        .init("pointer", .string(misfit.pointer)), .init("keyword", .string(misfit.keyword)),
        .init("message", .string(misfit.message)),
      ])
    }
    let answer = JSONValue.object([
      .init("kind", .string("validation")), .init("errors", .array(errors)),
    ])
    guard let bytes = try? answer.encode() else { return [] }
    return ContentText(format: .json, columns: [], style: style).bytes(of: JSONText(valid: bytes))
  }
}
