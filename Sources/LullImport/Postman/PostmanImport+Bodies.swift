import LullCore

/// What a collection says of bodies.
extension PostmanImport {
  /// - Parameter keeps: whether a method that usually has no body is sent with one.
  mutating func takeBody(_ body: JSONElement?, _ request: inout SeenRequest, keeps: Bool) {
    guard let body, body["disabled"]?.bool != true, let mode = body["mode"]?.string else { return }
    let headers = request.headers
    readBody(body, mode, &request)
    guard request.body != nil, PostmanImport.withoutBody.contains(request.method) else { return }
    if keeps, request.method != "HEAD" { return }
    request.body = nil
    request.headers = headers
    pruned += 1
  }

  /// Methods with which Postman sends no body, unless a request says so by `disableBodyPruning`.
  private static let withoutBody: Set<String> = ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"]

  private mutating func readBody(
    _ body: JSONElement, _ mode: String, _ request: inout SeenRequest
  ) {
    switch mode {
    case "raw":
      let text = filled(body["raw"]?.string ?? "")
      guard !text.isEmpty else { return }
      let language = body["options"]?["raw"]?["language"]?.string
      setType(PostmanImport.types[language ?? ""], &request)
      if request.header("content-type") == nil, SeenJSON(text) != nil {
        setType("application/json", &request)
      }
      if request.bodyType == "application/x-www-form-urlencoded",
        let fields = SeenRequest.fields(text)
      {
        request.body = .fields(fields)
      } else {
        request.body = .whole(text)
      }
    case "urlencoded":
      var fields: [(name: String, value: String)] = []
      for pair in enabled(body["urlencoded"]) {
        guard let name = pair["key"]?.string, !name.isEmpty else { continue }
        fields.append((name, filled(PostmanImport.text(pair["value"]) ?? "", keyed: name)))
      }
      if !fields.isEmpty { request.body = .fields(fields) }
    case "formdata":
      var parts: [SeenRequest.Part] = []
      for pair in enabled(body["formdata"]) {
        guard let name = pair["key"]?.string, !name.isEmpty else { continue }
        if pair["type"]?.string == "file" {
          let source = pair["src"]
          let paths =
            source?.string.map { [$0] } ?? PostmanImport.elements(source).compactMap(\.string)
          for path in paths.isEmpty ? [nil] : paths.map(Optional.some) {
            parts.append(SeenRequest.Part(name: name, value: path, isFile: true))
          }
        } else {
          parts.append(
            SeenRequest.Part(
              name: name, value: filled(PostmanImport.text(pair["value"]) ?? "", keyed: name),
              type: pair["contentType"]?.string))
        }
      }
      if !parts.isEmpty { request.body = .parts(parts) }
    case "file":
      // Without a name and content no file was chosen.
      let file = body["file"]
      if let path = file?["src"]?.string, !path.isEmpty {
        request.body = .file(path)
      } else if let text = file?["content"]?.string, !text.isEmpty {
        request.body = .whole(filled(text))
      }
    case "graphql":
      let query = filled(body["graphql"]?["query"]?.string ?? "")
      guard !query.isEmpty else { return }
      setType("application/json", &request)
      let given = filled(body["graphql"]?["variables"]?.string ?? "")
      var members = [JSONValue.Member("query", .string(query))]
      if let operation = body["graphql"]?["operationName"]?.string, !operation.isEmpty {
        members.append(.init("operationName", .string(filled(operation))))
      }
      if let variables = SeenJSON(given) { members.append(.init("variables", variables.value)) }
      let bytes = (try? JSONValue.object(members).encode()) ?? []
      request.body = .whole(String(decoding: bytes, as: UTF8.self))
    default: note("bodies of the mode '\(LogText.part(mode, limit: 30))' are left out")
    }
  }

  private static let types = [
    "json": "application/json", "xml": "application/xml", "html": "text/html", "text": "text/plain",
    "javascript": "application/javascript",
  ]

  private func setType(_ type: String?, _ request: inout SeenRequest) {
    guard let type, request.header("content-type") == nil else { return }
    request.headers.append(("Content-Type", type))
  }
}
