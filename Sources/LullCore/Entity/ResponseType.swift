/// Decides how the bodies of responses are parsed, regardless of their Content-Type. Lua:
/// `response_type`.
///
/// The Content-Type of the response is replaced before the pipeline begins, so that parsers, caches
/// and streams use the same type.
public enum ResponseType: String, Sendable, CaseIterable {
  /// One JSON value, or several consecutive JSON values.
  case json
  /// One JSON value per line.
  case ndjson
  /// Text, in the charset of the Content-Type.
  case text
  /// A list of records. The first line contains the field names. (RFC 4180)
  case csv

  /// Sets the content type in the headers of a response.
  func apply(to headers: inout Headers) {
    let charset = headers["content-type"].flatMap { ContentType.charset(of: $0) }
    let suffix = charset.map { "; charset=\"\($0)\"" } ?? ""
    switch self {
    case .json:
      // Other JSON types, such as problem details, keep their type.
      let isJSON = headers.withFirstValue("content-type", ContentTypePattern.isJSON) ?? false
      if !isJSON { headers["Content-Type"] = "application/json" }
    case .ndjson: headers["Content-Type"] = "application/x-ndjson"
    case .text: headers["Content-Type"] = "text/plain\(suffix); as=text"
    case .csv: headers["Content-Type"] = "text/csv\(suffix); as=rows"
    }
  }
}

/// How JSON values are arranged in a body.
package enum JSONForm {
  /// One JSON value. For some content types, several values are accepted.
  case whole
  /// One JSON value per line.
  case lines
  /// Consecutive JSON values, separated by white space or RS. (RFC 7464)
  case values
  /// Rows of CSV, each of which is a record.
  case rows
}

extension Entity {
  /// How JSON values are arranged in the body, according to its content type.
  package var jsonForm: JSONForm {
    headers.withFirstValue("content-type", ContentTypePattern.jsonForm) ?? .whole
  }

  /// Whether an option of the request declares the body to be text, even if the body looks like
  /// JSON.
  package var isTextByDecision: Bool {
    headers["content-type"]?.hasSuffix("; as=text") ?? false
  }
}

/// Converts the rows of a CSV text to a list of records.
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
        throw JSONError(
          "CSV: the column '\(LogText.part(name, limit: 60))' appears twice in the header")
      }
      for row in 1..<parser.rowCount {
        let fields = parser.fields(ofRow: row)
        guard fields.count == names.count else {
          throw JSONError(
            "CSV: a row has \(fields.count) fields, but the header has \(names.count) (line "
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

/// The message for users in an `application/problem+json` document. (RFC 9457, section 3.1)
package struct ProblemDetails {
  /// The title and the detail of the problem, on one line.
  package let message: String

  /// The size of the largest document that is parsed, in bytes. A larger document is
  /// hardly a message for users, and parsing it would delay the event loop.
  private static let largest = 64 * 1024
  private static let longest = 500
  private static let pattern = ContentTypePattern("application/problem+json")

  /// Reads the message from a response.
  ///
  /// - Parameter body: The body of a response with these headers.
  /// - Returns: nil if the response is not an `application/problem+json` document, or contains no
  ///   message.
  package init?(_ body: [UInt8], _ headers: Headers) {
    guard headers.withFirstValue("content-type", ProblemDetails.pattern.matches) ?? false,
      body.count <= ProblemDetails.largest, let root = try? JSONDocument(parsing: body).root
    else { return nil }
    // Members of other types must be ignored. (Section 3.1)
    let parts = ["title", "detail"].compactMap { root[$0]?.string }.map(ProblemDetails.line)
      .filter { !$0.isEmpty }
    // The detail may repeat the title.
    guard let last = parts.last, let first = parts.first else { return nil }
    let text = parts.count == 1 || last.hasPrefix(first) ? last : "\(first): \(last)"
    message =
      text.count > ProblemDetails.longest ? text.prefix(ProblemDetails.longest) + "…" : text
  }

  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
