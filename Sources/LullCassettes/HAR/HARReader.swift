import LullCore

extension HARFile {
  /// Reads one, of whoever has written it.
  ///
  /// A body that cannot be read is noted with its exchange, and the others are read.
  ///
  /// - Throws: A `HARError` if the bytes are not JSON or a required member is missing. Members that
  ///   are not required may have any value.
  package init(reading bytes: [UInt8]) throws(HARError) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw HARError(pointer: "", problem: "this is no JSON: \(error)")
    }
    let log = try HARNode(document.root).needed("log")
    let creator = log.member("creator")
    var entries: [HAREntry] = []
    for entry in try log.needed("entries").elements { entries.append(try HAREntry(entry)) }
    self.init(
      creator: Creator(
        name: creator?.member("name")?.string ?? "",
        version: creator?.member("version")?.string ?? ""),
      entries: entries)
  }
}

extension HAREntry {
  fileprivate init(_ node: HARNode) throws(HARError) {
    let failure = node.member("_failure")
    let response = node.member("response")
    let status = try response?.member("status")?.number()
    self.init(
      started: try node.member("startedDateTime")?.moment() ?? 0,
      milliseconds: max(0, try node.member("time")?.number() ?? 0),
      request: try HARRequest(try node.needed("request")))
    if let response, let status, status > 0 {
      guard let code = Int(exactly: status), (100...999).contains(code) else {
        throw response.problem("\(status) is no status")
      }
      self.response = try HARResponse(response, status: code)
    }
    if let failure {
      self.failure = HARFailure(
        kind: try failure.needed("kind").neededString,
        message: failure.member("message")?.string ?? "")
      self.failure?.isUnsent = failure.member("unsent")?.isTrue == true
    } else if self.response == nil {
      // Browsers say no more than that there was none.
      self.failure = HARFailure(kind: "network", message: "there was no answer")
    }
  }
}

extension HARRequest {
  fileprivate init(_ node: HARNode) throws(HARError) {
    self.init(
      method: try node.needed("method").neededString,
      url: try node.needed("url").neededString,
      headers: try HARHeader.all(node))
    bodyProblem = node.member("_bodyProblem")?.string
    do throws(HARError) {
      body = try node.member("postData").flatMap { node throws(HARError) in
        try HARBody(posted: node)
      }
    } catch {
      bodyProblem = error.description
    }
    environment = node.member("_environment")?.string
  }
}

extension HARResponse {
  fileprivate init(_ node: HARNode, status: Int) throws(HARError) {
    let content = node.member("content")
    self.init(
      status: status, headers: try HARHeader.all(node),
      finalURL: node.member("_finalURL")?.string)
    bodyProblem = node.member("_bodyProblem")?.string
    do throws(HARError) {
      body = try content.flatMap { node throws(HARError) in try HARBody(content: node) }
    } catch {
      bodyProblem = error.description
    }
    let size = try content?.member("size")?.number() ?? 0
    guard body == nil else { return }
    lacksBody = bodyProblem != nil || size > 0
    missingType = content?.member("mimeType")?.string ?? ""
  }
}

extension HARHeader {
  fileprivate static func all(_ node: HARNode) throws(HARError) -> [HARHeader] {
    var headers: [HARHeader] = []
    for line in try node.member("headers")?.elements ?? [] {
      let name = try line.needed("name").neededString
      // What HTTP/2 has in place of a request line is no header.
      guard !name.hasPrefix(":") else { continue }
      let value = try line.needed("value").neededString
      let bytes = try line.member("_base64").map { node throws(HARError) in try node.base64() }
      headers.append(HARHeader(name, bytes ?? Array(value.utf8)))
    }
    return headers
  }
}

extension HARBody {
  /// nil where there is none.
  fileprivate init?(posted node: HARNode) throws(HARError) {
    let type = node.member("mimeType")?.string ?? ""
    if let text = node.member("text") {
      let isBase64 = node.member("_encoding")?.string == "base64"
      self.init(isBase64 ? try text.base64() : Array(try text.neededString.utf8), type: type)
      return
    }
    guard let parameters = node.member("params"), !(try parameters.elements).isEmpty else {
      return nil
    }
    if type.lowercased().hasPrefix("multipart/form-data") {
      self = try HARBody.form(of: parameters, type: type)
      return
    }
    guard type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
      throw parameters.problem(
        "these stand for a body of type '\(type)', which can be made of a text only, not of them")
    }
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    for pair in try parameters.elements {
      let value = pair.member("value")?.string ?? ""
      pairs.append((Array(try pair.needed("name").neededString.utf8), Array(value.utf8)))
    }
    do throws(FormEncodingError) {
      self.init(try FormEncoding.encode(pairs), type: type)
    } catch {
      throw parameters.problem("they make no form")
    }
  }

  /// A form in parts, of what is said of each. (HAR 1.2, "params"; RFC 7578)
  private static func form(of parameters: HARNode, type: String) throws(HARError) -> HARBody {
    let said = type.firstRange(of: "boundary=").map { type[$0.upperBound...].prefix { $0 != ";" } }
    let boundary = said.map { $0.filter { $0 != "\"" && !$0.isWhitespace } } ?? "lull-parts"
    var text = ""
    var isOfFile = false
    for part in try parameters.elements {
      let name = try part.needed("name").neededString.replacing("\"", with: "%22")
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
      if let file = part.member("fileName")?.string {
        text += "; filename=\"\(file.replacing("\"", with: "%22"))\""
        isOfFile = true
      }
      if let type = part.member("contentType")?.string, !type.isEmpty {
        text += "\r\nContent-Type: \(type)"
      }
      text += "\r\n\r\n\(part.member("value")?.string ?? "")\r\n"
    }
    text += "--\(boundary)--\r\n"
    var body = HARBody(
      Array(text.utf8), type: said == nil ? "multipart/form-data; boundary=\(boundary)" : type)
    body.isOfFile = isOfFile
    return body
  }

  /// nil where there is none, or it was not recorded.
  fileprivate init?(content node: HARNode) throws(HARError) {
    guard let text = node.member("text") else { return nil }
    let isBase64 = node.member("encoding")?.string == "base64"
    self.init(
      isBase64 ? try text.base64() : Array(try text.neededString.utf8),
      type: node.member("mimeType")?.string ?? "")
  }
}
