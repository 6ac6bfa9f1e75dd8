import LullCore

/// Writes an API file that is easy to read and edit.
///
/// The same API always results in the same text. Every text from the source becomes a string or a
/// comment on one line.
package struct APIFileWriter {
  private let api: ImportedAPI
  private let layout = LuaLayout()

  package static func text(of api: ImportedAPI) -> String { APIFileWriter(api: api).text }

  private init(api: ImportedAPI) { self.api = api }

  private var text: String {
    let access = AccessWriter(api)
    var text = api.origin.map(ShortText.comments).joined()
    for server in api.otherServers {
      let words = ShortText.line(server.description).map { ": " + $0 } ?? ""
      text += ShortText.comments("Another server: \(server.url)\(words)")
    }
    text += "local lull = require \"lull\"\n\n"
    text += access.locals
    text += statement("local api = ", .call("lull.service", [.table(service)]))
    text += access.statements
    text += "\n" + statement("return ", .table(result))
    return text
  }

  private func statement(_ start: String, _ literal: LuaLiteral) -> String {
    start + layout.text(literal, indent: 0, column: start.count, behind: 0) + "\n"
  }

  private var service: [(key: String, value: LuaLiteral)] {
    var fields: [(key: String, value: LuaLiteral)] = [("base_url", .text(api.baseURL))]
    if !api.headers.isEmpty { fields.append(("headers", AccessWriter.headers(api.headers))) }
    return fields
  }

  private var result: [(key: String, value: LuaLiteral)] {
    var fields: [(key: String, value: LuaLiteral)] = [("service", .code("api"))]
    if let text = ShortText.line(api.description) { fields.append(("description", .text(text))) }
    if let name = api.graphQL { fields.append(("graphql", .text(name))) }
    if let name = api.schemas { fields.append(("schemas", .text(name))) }
    if !api.environments.isEmpty {
      let environments = api.environments.map { environment in
        (key: environment.name, value: LuaLiteral.table([("base_url", .text(environment.baseURL))]))
      }
      fields.append(("environments", .table(environments)))
    }
    fields.append(("calls", .table(api.calls.map { ($0.name, call($0)) })))
    return fields
  }

  // MARK: Calls

  private func call(_ call: ImportedCall) -> LuaLiteral {
    var fields: [(key: String, value: LuaLiteral)] = []
    // The operation decides the method. Without a path, it is sent to the base URL.
    if call.graphQLFile == nil || !call.path.isEmpty { fields.append(("path", .text(call.path))) }
    if let file = call.graphQLFile {
      fields.append(("graphql_file", .text(file)))
    } else if call.method != "GET" {
      fields.append(("method", .text(call.method)))
    }
    if let name = call.operation { fields.append(("operation", .text(name))) }
    if call.isSafe { fields.append(("safe", .bool(true))) }
    if !call.parameters.isEmpty {
      fields.append(("params", .table(call.parameters.map { ($0.key, parameter($0)) })))
    }
    if let body = call.body, body != .json { fields.append(("body", .text(body.rawValue))) }
    if call.requiresBody { fields.append(("body_required", .bool(true))) }
    if let type = call.contentType { fields.append(("content_type", .text(type))) }
    if !call.headers.isEmpty { fields.append(("headers", AccessWriter.headers(call.headers))) }
    if let text = ShortText.line(call.description) { fields.append(("description", .text(text))) }
    if let type = call.responseType { fields.append(("response_type", .text(type))) }
    if let rows = call.rows { fields.append(("rows", .text(rows))) }
    if !call.columns.isEmpty {
      fields.append(("columns", .list(call.columns.map { .text($0) })))
    }
    if let pages = call.pages { fields.append(("pages", APIFileWriter.pages(pages))) }
    return .table(fields)
  }

  private static func pages(_ pages: ImportedCall.Pages) -> LuaLiteral {
    switch pages {
    case .linked: return .bool(true)
    case .relay(nil): return .text("relay")
    case .relay(let path?): return .table([("relay", .text(path))])
    case .next(let field): return .table([("next", .text(field))])
    case .cursor(let parameter, let field, let items, let more):
      var fields: [(key: String, value: LuaLiteral)] = [
        ("param", .text(parameter)), ("field", .text(field)),
      ]
      if let items { fields.append(("items", .text(items))) }
      if let more { fields.append(("more", .text(more))) }
      return .table([("cursor", .table(fields))])
    case .counted(let parameter, let first, let step, let items):
      var fields: [(key: String, value: LuaLiteral)] = [("param", .text(parameter))]
      if first != 1 { fields.append(("first", .code(String(first)))) }
      if step != 1 { fields.append(("step", .code(String(step)))) }
      if let items { fields.append(("items", .text(items))) }
      return .table([("page", .table(fields))])
    case .offset(let parameter, let items):
      var fields: [(key: String, value: LuaLiteral)] = [("param", .text(parameter))]
      if let items { fields.append(("items", .text(items))) }
      return .table([("offset", .table(fields))])
    }
  }

  private func parameter(_ parameter: ImportedParameter) -> LuaLiteral {
    var fields: [(key: String, value: LuaLiteral)] = []
    if let name = parameter.name { fields.append(("name", .text(name))) }
    if parameter.saysPlace { fields.append(("place", .text(parameter.place.rawValue))) }
    if let style = parameter.style { fields.append(("style", .text(style))) }
    if let explode = parameter.explode { fields.append(("explode", .bool(explode))) }
    if parameter.isReserved { fields.append(("reserved", .bool(true))) }
    if parameter.isWhole { fields.append(("whole", .bool(true))) }
    if parameter.isRequired, parameter.place != .path { fields.append(("required", .bool(true))) }
    if let secret = parameter.secret {
      fields.append(("default", AccessWriter.secret(secret)))
    } else if let text = parameter.standardText {
      fields.append(("default", .call("lull.json.decode", [.text(text)])))
    } else if let standard = parameter.standard.flatMap({ LuaLiteral($0) }) {
      fields.append(("default", standard))
    }
    if let option = parameter.option { fields.append(("option", .text(option))) }
    if let text = ShortText.line(parameter.description) {
      fields.append(("description", .text(text)))
    }
    return parameter.isVariable ? .table(fields) : type(of: parameter, beside: fields)
  }

  /// Returns the declaration of a parameter. If there are no other fields, the declaration is the
  /// type alone instead of a table.
  private func type(
    of parameter: ImportedParameter, beside fields: [(key: String, value: LuaLiteral)]
  ) -> LuaLiteral {
    let type: LuaLiteral
    var fields = fields
    if case .choice(let words) = parameter.kind {
      type = .list(words.map { .text($0) })
      if parameter.isList { fields.insert(("list", .bool(true)), at: 0) }
    } else if parameter.kind == .integer, !parameter.integers.isEmpty {
      type = .list(parameter.integers.compactMap { LuaLiteral(.int($0)) })
      if parameter.isList { fields.insert(("list", .bool(true)), at: 0) }
    } else {
      type = .text(APIFileWriter.word(parameter.kind) + (parameter.isList ? "[]" : ""))
    }
    return fields.isEmpty ? type : .table([("type", type)] + fields)
  }

  private static func word(_ kind: ImportedParameter.Kind) -> String {
    switch kind {
    case .string, .choice: "string"
    case .number: "number"
    case .integer: "integer"
    case .boolean: "boolean"
    case .json: "json"
    case .object: "object"
    case .file: "file"
    }
  }
}
