package import LullCore

/// Infers schemas from traffic. For each call, infers the schemas of its responses and request
/// bodies. Records that occur in several schemas become definitions.
///
///     var shapes = TrafficShapes()
///     shapes.add(document.root, to: .response("200"), of: "user")
///     let text = try shapes.schemas(in: ["user"]).encoded()
package struct TrafficShapes: Sendable {
  /// The part of an exchange to which a sample belongs.
  package enum Part: Sendable, Hashable {
    /// The content of a response with this status.
    case response(String)
    case body
  }

  private struct Key: Hashable {
    let call: String
    let part: Part
  }

  private var order: [Key] = []
  private var shapes: [Key: Shape] = [:]

  package init() {}

  package var isEmpty: Bool { order.isEmpty }

  /// Adds a sample of a call to the shapes. None of the sample's values is stored.
  package mutating func add(_ value: JSONElement, to part: Part, of call: String) {
    let key = Key(call: call, part: part)
    if shapes[key] == nil { order.append(key) }
    shapes[key, default: Shape()].add(value)
  }

  /// Returns the number of samples of a call.
  package func count(of call: String) -> Int {
    keys(of: call).reduce(0) { $0 + (shapes[$1]?.count ?? 0) }
  }

  /// Returns the names of the calls for which a response status or the request body was seen only
  /// once. With one sample, it is unknown which fields are optional.
  package func calls(withOneSampleAmong calls: [String]) -> [String] {
    calls.filter { call in keys(of: call).contains { shapes[$0]?.count == 1 } }
  }

  /// Returns the inferred schemas.
  ///
  /// - Parameter calls: The names of the calls, in the order in which they are written.
  package func schemas(in calls: [String]) -> InferredSchemas {
    var table = RecordTable()
    var places: [(key: Key, place: RecordTable.Place)] = []
    for call in calls {
      for key in keys(of: call) {
        guard let shape = shapes[key]?.settled else { continue }
        places.append((key, table.add(shape, name: TrafficShapes.name(of: key, shape))))
      }
    }
    table.join()
    let names = table.names()
    let writer = PlaceSchemas(
      table: table, names: Dictionary(names.map { ($0.number, $0.name) }) { first, _ in first })
    var entries: [InferredSchemas.Entry] = []
    for call in calls {
      let own = places.filter { $0.key.call == call }
      guard !own.isEmpty else { continue }
      entries.append(.init(name: call, schema: TrafficShapes.call(own, writer)))
    }
    return InferredSchemas(
      calls: entries,
      definitions: names.map { .init(name: $0.name, schema: writer.schema(ofRecord: $0.number)) })
  }

  /// Returns the parts of a call for which there are samples: first the responses by status, then
  /// the request body.
  private func keys(of call: String) -> [Key] {
    order.filter { $0.call == call }.sorted { one, other in
      switch (one.part, other.part) {
      case (.response(let one), .response(let other)): one < other
      case (.response, .body): true
      case (.body, _): false
      }
    }
  }

  private static func name(of key: Key, _ shape: Shape) -> String {
    let call = RecordNames.plain(key.call)
    switch key.part {
    case .response(let status): return status.hasPrefix("2") ? call : "error"
    case .body: return call + "_body"
    }
  }

  private static func call(
    _ places: [(key: Key, place: RecordTable.Place)], _ writer: PlaceSchemas
  ) -> JSONValue {
    var responses: [JSONValue.Member] = []
    var members: [JSONValue.Member] = []
    for (key, place) in places {
      var schema = writer.schema(of: place)
      if case .object(let parts) = schema {
        let samples = place.count == 1 ? "1 sample" : "\(place.count) samples"
        schema = .object([.init("$comment", .string("seen in \(samples)"))] + parts)
      }
      switch key.part {
      case .response(let status): responses.append(.init(status, schema))
      case .body: members.append(.init("body", schema))
      }
    }
    if !responses.isEmpty { members.insert(.init("responses", .object(responses)), at: 0) }
    return .object(members)
  }
}

/// Inferred schemas in the form of a schema file, with one entry on each line.
package struct InferredSchemas: Sendable {
  package struct Entry: Sendable {
    package let name: String
    package let schema: JSONValue
  }

  package let calls: [Entry]
  package let definitions: [Entry]

  /// The text at the beginning of a file written by Lull. It shows that the file may be
  /// overwritten.
  private static let mark = "inferred by lull types; the next run overwrites this file"
  /// The beginning of `mark` in files written by version 0.2 and earlier.
  private static let formerMark = "seen by lull types"

  /// Encodes the schemas as the content of a schema file.
  ///
  /// - Throws: An error for a value that JSON can't represent. Inferred schemas have no such
  ///   values.
  package func encoded() throws(JSONError) -> [UInt8] {
    var text = try InferredSchemas.beginning(InferredSchemas.mark)
    text += Array("\",\"calls\":{\n".utf8)
    text += try InferredSchemas.lines(calls)
    text += Array("},\"$defs\":{\n".utf8)
    text += try InferredSchemas.lines(definitions)
    return text + Array("}}\n".utf8)
  }

  /// Returns whether the content of a file was written by `encoded`.
  package static func isInferred(_ bytes: [UInt8]) -> Bool {
    [mark, formerMark].contains { mark in
      guard let beginning = try? beginning(mark) else { return false }
      return bytes.starts(with: beginning)
    }
  }

  /// Returns the beginning of a file that contains `mark`, up to the end of `mark`.
  private static func beginning(_ mark: String) throws(JSONError) -> [UInt8] {
    let object = try JSONValue.object([
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
      .init("$comment", .string(mark)),
    ]).encode()
    return Array(object.dropLast(2))
  }

  private static func lines(_ entries: [Entry]) throws(JSONError) -> [UInt8] {
    var text: [UInt8] = []
    for (position, entry) in entries.enumerated() {
      text += try JSONValue.string(entry.name).encode()
      text.append(UInt8(ascii: ":"))
      text += try entry.schema.encode()
      if position < entries.count - 1 { text.append(UInt8(ascii: ",")) }
      text.append(10)
    }
    return text
  }
}
