import LullCore

extension HARFile {
  /// Reads an HTTP Archive. The archive may have been written by any program.
  ///
  /// If the body of an exchange can't be read, the exchange is read without its body, and the
  /// reason is stored.
  ///
  /// - Throws: A `HARError` if the bytes are not JSON or a required member is missing. Optional
  ///   members may have any value.
  package init(reading bytes: [UInt8]) throws(HARError) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw HARError(pointer: "", problem: "invalid JSON: \(error)")
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
        throw response.problem("\(status) is not an HTTP status")
      }
      self.response = try HARResponse(response, status: code)
    }
    if let failure {
      self.failure = HARFailure(
        kind: try failure.needed("kind").neededString,
        message: failure.member("message")?.string ?? "")
      self.failure?.isUnsent = failure.member("unsent")?.isTrue == true
    } else if self.response == nil {
      // Browsers record only that there was no response, not the reason.
      self.failure = HARFailure(kind: "network", message: "there was no response")
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
    isDeclaredSafe = node.member("_safe")?.isTrue ?? false
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
      // Names that begin with a colon are pseudo-headers of HTTP/2, not headers.
      guard !name.hasPrefix(":") else { continue }
      let value = try line.needed("value").neededString
      let bytes = try line.member("_base64").map { node throws(HARError) in try node.base64() }
      headers.append(HARHeader(name, bytes ?? Array(value.utf8)))
    }
    return headers
  }
}

extension HARBody {
  /// Reads the body of a request; nil if there is none.
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
        "a body of type '\(type)' cannot be built from 'params': it needs 'text'")
    }
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    for pair in try parameters.elements {
      let value = pair.member("value")?.string ?? ""
      pairs.append((Array(try pair.needed("name").neededString.utf8), Array(value.utf8)))
    }
    do throws(FormEncodingError) {
      self.init(try FormEncoding.encode(pairs), type: type)
    } catch {
      throw parameters.problem("the parameters cannot be encoded as a form")
    }
  }

  /// Builds the bytes of a multipart form from a list of parameters, for files that contain this
  /// list instead of the body. (HAR 1.2, "params"; RFC 7578)
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

  /// Reads the body of a response; nil if there is none, or if the body was not recorded.
  fileprivate init?(content node: HARNode) throws(HARError) {
    guard let text = node.member("text") else { return nil }
    let isBase64 = node.member("encoding")?.string == "base64"
    self.init(
      isBase64 ? try text.base64() : Array(try text.neededString.utf8),
      type: node.member("mimeType")?.string ?? "")
  }
}

/// A JSON value in an HTTP Archive, with its JSON Pointer for error messages.
struct HARNode {
  private let element: JSONElement
  private let pointer: String

  init(_ root: JSONElement) { self.init(root, at: "") }

  private init(_ element: JSONElement, at pointer: String) {
    self.element = element
    self.pointer = pointer
  }

  func problem(_ text: String) -> HARError { HARError(pointer: pointer, problem: text) }

  /// Returns the member `name`; nil if it is missing or null.
  func member(_ name: String) -> HARNode? {
    guard let value = element[name], !value.isNull else { return nil }
    return HARNode(value, at: "\(pointer)/\(name)")
  }

  func needed(_ name: String) throws(HARError) -> HARNode {
    guard let node = member(name) else {
      throw problem(
        element.kind == .object ? "'\(name)' is missing" : "expected an object with '\(name)'")
    }
    return node
  }

  var elements: [HARNode] {
    get throws(HARError) {
      guard element.kind == .array else { throw problem("expected an array") }
      return element.elements.enumerated().map { HARNode($1, at: "\(pointer)/\($0)") }
    }
  }

  var string: String? { element.string }

  var isTrue: Bool { element.bool == true }

  var neededString: String {
    get throws(HARError) {
      guard let string = element.string else { throw problem("expected a string") }
      return string
    }
  }

  func number() throws(HARError) -> Double {
    guard let number = element.double else { throw problem("expected a number") }
    return number
  }

  /// Parses the value as a time. The result is in seconds since 1970.
  func moment() throws(HARError) -> Double {
    let text = try neededString
    do throws(ISODate.Problem) {
      let moment = try ISODate.parse(text.utf8)
      return Double(moment.seconds) + (moment.fraction ?? 0)
    } catch {
      throw problem("'\(text)' is not a date: \(error.reason)")
    }
  }

  func base64() throws(HARError) -> [UInt8] {
    let text = try neededString
    do throws(Base64.Problem) {
      return try Base64.decode(Array(text.utf8))
    } catch {
      throw problem("invalid base64: \(error.message)")
    }
  }
}

/// One exchange: the request and its result.
package struct HAREntry: Sendable, Equatable {
  /// The time when the request was sent, in seconds since 1970.
  package var started: Double
  /// The duration of the exchange in milliseconds.
  package var milliseconds: Double
  package var request: HARRequest
  /// The response; nil if the server did not respond.
  package var response: HARResponse?
  /// The reason why the response is missing or incomplete; nil after success.
  package var failure: HARFailure?

  package init(
    started: Double, milliseconds: Double, request: HARRequest, response: HARResponse? = nil,
    failure: HARFailure? = nil
  ) {
    self.started = started
    self.milliseconds = milliseconds
    self.request = request
    self.response = response
    self.failure = failure
  }
}

/// A request as sent, without the headers that the transport adds.
package struct HARRequest: Sendable, Equatable {
  package var method: String
  package var url: String
  package var headers: [HARHeader]
  /// The body; nil if there is none.
  package var body: HARBody?
  /// The reason why the body can't be read; nil if it can be read, or if there is none.
  package var bodyProblem: String?
  /// The environment of the API file in which the request was sent; nil if there was no
  /// environment, or if it is unknown. (ENV-18)
  package var environment: String?
  /// Whether the request is a POST that was declared to change nothing on the server. (QUERY-07)
  package var isDeclaredSafe = false

  package init(method: String, url: String, headers: [HARHeader] = [], body: HARBody? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// Whether the request is conditional.
  package var isConditional: Bool {
    headers.contains { Headers.isCondition($0.name) }
  }
}

/// A response with its body decoded.
package struct HARResponse: Sendable, Equatable {
  package var status: Int
  package var headers: [HARHeader]
  /// The body; nil if there was none, or if it was not recorded.
  package var body: HARBody?
  /// The content type of a body that was not recorded; empty if unknown.
  package var missingType = ""
  /// The final URL if there were redirects; otherwise nil.
  package var finalURL: String?
  /// Whether the program that recorded the exchange has omitted the body.
  package var lacksBody = false
  /// The reason why the body is missing although it was recorded: it can't be read. nil if it can
  /// be read, or if there is none.
  package var bodyProblem: String?

  package init(
    status: Int, headers: [HARHeader] = [], body: HARBody? = nil, finalURL: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.finalURL = finalURL
  }
}

/// A failed exchange: the kind of the `TransportError`, and its message.
package struct HARFailure: Sendable, Equatable {
  package var kind: String
  package var message: String
  /// Whether it is certain that nothing of the request reached the server.
  package var isUnsent = false

  package init(kind: String, message: String) {
    self.kind = kind
    self.message = message
  }
}

/// A header as received, byte for byte.
package struct HARHeader: Sendable, Equatable {
  package var name: String
  package var value: [UInt8]

  package init(_ name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }

  package init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }
}

/// A body as received, byte for byte.
package struct HARBody: Sendable, Equatable {
  package var bytes: [UInt8]
  /// The content type in the headers of the request or response; empty if there is none.
  package var type: String
  /// Whether the body is a file or contains files. For files, only the file names are known in a
  /// test.
  package var isOfFile = false

  package init(_ bytes: [UInt8], type: String = "") {
    self.bytes = bytes
    self.type = type
  }
}
