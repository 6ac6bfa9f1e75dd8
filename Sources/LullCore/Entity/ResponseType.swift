/// What the bodies of responses are read as, whatever their Content-Type says. Lua: `response_type`.
///
/// It replaces the Content-Type before the pipeline begins, so that parsers, caches and streams agree.
public enum ResponseType: String, Sendable, CaseIterable {
  /// One value of JSON, or several that follow each other.
  case json
  /// A value of JSON on each line.
  case ndjson
  /// Text, in the charset that the Content-Type names.
  case text
  /// A list of records, by the names in the first line. (RFC 4180)
  case csv

  /// Puts the type into the headers of a response.
  func apply(to headers: inout Headers) {
    let charset = headers["content-type"].flatMap { ContentType.charset(of: $0) }
    let suffix = charset.map { "; charset=\"\($0)\"" } ?? ""
    switch self {
    case .json:
      // Problem details, for one, stay what they are.
      let isJSON = headers.withFirstValue("content-type", ContentTypePattern.isJSON) ?? false
      if !isJSON { headers["Content-Type"] = "application/json" }
    case .ndjson: headers["Content-Type"] = "application/x-ndjson"
    case .text: headers["Content-Type"] = "text/plain\(suffix); as=text"
    case .csv: headers["Content-Type"] = "text/csv\(suffix); as=rows"
    }
  }
}

/// How the JSON of a body is written.
package enum JSONForm {
  /// One value, or under some types several.
  case whole
  /// A value on each line.
  case lines
  /// Values one after the other, with white space or RS between them. (RFC 7464)
  case values
  /// Rows of CSV, each of which is a record.
  case rows
}

extension Entity {
  /// How its body is to be read where it is read as JSON.
  package var jsonForm: JSONForm {
    headers.withFirstValue("content-type", ContentTypePattern.jsonForm) ?? .whole
  }

  /// Whether a setting says that it is text, whatever it looks like.
  package var isTextByDecision: Bool {
    headers["content-type"]?.hasSuffix("; as=text") ?? false
  }
}

/// The rows of a CSV text as a list of records.
enum CSVDocument {
  static func document(
    _ bytes: UnsafeBufferPointer<UInt8>, charset: String?
  ) throws(JSONError) -> JSONDocument {
    guard MemoryLedger.allows(2 * bytes.count) else { throw JSONError("not enough memory") }
    let text: String
    do throws(TextCodingError) {
      text = try TextCoding.decode(bytes, charset: charset ?? "utf-8")
    } catch {
      throw JSONError("the CSV is not text in \(charset ?? "UTF-8")")
    }
    let parser: CSVParser
    do throws(CSVParser.Problem) {
      parser = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(CSVParser.Problem) in
        try CSVParser(bytes)
      }
    } catch {
      throw JSONError("CSV: \(error.message) (line \(error.line))")
    }
    var writer = JSONWriter()
    writer.begin("[")
    if parser.rowCount > 0 {
      let names = parser.fields(ofRow: 0).map { String(decoding: $0, as: UTF8.self) }
      if let name = Set(names).first(where: { name in names.count { $0 == name } > 1 }) {
        throw JSONError("CSV: the header names '\(LogText.part(name, limit: 60))' twice")
      }
      for row in 1..<parser.rowCount {
        let fields = parser.fields(ofRow: row)
        guard fields.count == names.count else {
          throw JSONError(
            "CSV: a row has \(fields.count) fields and the header \(names.count) (line "
              + "\(parser.line(ofRow: row)))")
        }
        writer.begin("{")
        for (name, field) in zip(names, fields) {
          writer.write(key: name, String(decoding: field, as: UTF8.self))
        }
        writer.end("}")
      }
    }
    writer.end("]")
    return try JSONDocument(parsing: writer.output)
  }
}

/// What a document of `application/problem+json` says of an error, for users. (RFC 9457, section 3.1)
package struct ProblemDetails {
  /// Its title and what it says in detail of this occurrence, as one line.
  package let message: String

  /// Beyond that it is no message, and not worth holding up the loop.
  private static let largest = 64 * 1024
  private static let longest = 500
  private static let pattern = ContentTypePattern("application/problem+json")

  /// - Parameter body: of an answer with these headers.
  /// - Returns: nil if its type is another, or it says nothing.
  package init?(_ body: [UInt8], _ headers: Headers) {
    guard headers.withFirstValue("content-type", ProblemDetails.pattern.matches) ?? false,
      body.count <= ProblemDetails.largest, let root = try? JSONDocument(parsing: body).root
    else { return nil }
    // Members of other types are to be ignored. (Section 3.1)
    let parts = ["title", "detail"].compactMap { root[$0]?.string }.map(ProblemDetails.line)
      .filter { !$0.isEmpty }
    // Some repeat themselves.
    guard let last = parts.last, let first = parts.first else { return nil }
    let text = parts.count == 1 || last.hasPrefix(first) ? last : "\(first): \(last)"
    message =
      text.count > ProblemDetails.longest ? text.prefix(ProblemDetails.longest) + "…" : text
  }

  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
