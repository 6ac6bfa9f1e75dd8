import LullClients
import LullCore
import LullHost

/// Adds the items and options of the command line to a request.
struct RequestParts {
  private let items: [RequestItem]
  private let headers: [(name: String, value: String?)]
  private let body: BodyOptions
  private let ignoresInput: Bool
  private let timeout: Double?

  /// The Accept header that HTTPie sends unless the body is a form.
  private static let accepted = "application/json, */*;q=0.5"

  init(_ items: [RequestItem], _ options: CallOptions, _ body: BodyOptions) {
    self.items = items
    headers = options.headers
    self.body = body
    ignoresInput = options.ignoresInput
    timeout = options.timeout
  }

  func apply(to request: inout CallRequest, _ host: LuaHost) throws(RequestItem.Problem) {
    request.headers += headers
    var query: [(name: String, value: String)] = []
    for item in items {
      switch item.kind {
      case .header where item.value.isEmpty: request.headers.append((item.name, nil))
      case .header, .emptyHeader:
        let value = RequestItem.trimmed(try ItemFile.line(of: item))
        if let problem = Headers.problem(item.name, value.utf8) {
          throw RequestItem.Problem(message: "'\(item.word)': \(problem)")
        }
        request.headers.append((item.name, value))
      case .query: query.append((item.name, try ItemFile.line(of: item)))
      case .text, .json, .upload: break
      }
    }
    for (name, value) in request.headers where value != nil {
      guard ["content-length", "transfer-encoding"].contains(name.lowercased()) else { continue }
      Exit.complain("lull: warning: \(name) is ignored: Lull sets it to match the body\n")
    }
    if !query.isEmpty {
      // The existing query keeps its source text.
      let url = request.resource.url.appendingPairs(query)
      request.resource = request.resource.service.resource(absoluteURL: url.percentEncoded)
    }
    try addBody(to: &request, host)
    // A query keeps the headers of its resource, so that a fresh cache entry can answer it.
    if body.isJSON || !body.isForm && request.body.isPlain && !request.isQuery {
      request.usual.append(("accept", RequestParts.accepted))
    }
    if body.isJSON { request.usual.append(("content-type", "application/json")) }
    if body.isForm, request.body == nil, !body.isMultipart {
      request.usual.append(("content-type", RequestBody.formType))
    }
    // A body that is read while it is sent has no limit on its whole duration, except from the
    // command line.
    if request.body?.hasFiles ?? false { request.timeout = timeout }
  }

  private func addBody(to request: inout CallRequest, _ host: LuaHost) throws(RequestItem.Problem) {
    let item = items.first(where: \.isBody)
    let hasType =
      body.isJSON || request.headers.contains { $0.name.lowercased() == "content-type" }
    if let item {
      if item.isWholeBody, !body.isForm {
        try WholeBody(item).put(into: &request, isForm: false, hasType: hasType)
      } else {
        let isMultipart = body.isMultipart || items.contains(where: \.isUpload)
        request.body =
          isMultipart ? try multipart() : body.isForm ? .form(typed: try pairs()) : try object()
      }
    } else if body.isMultipart {
      request.body = .multipart(MultipartForm([]))
    }
    var whole: WholeBody?
    if let data = body.data {
      whole = try WholeBody(data, host)
    } else if !ignoresInput {
      whole = try WholeBody(inputOf: request.method, beside: item.map { "'\($0.word)'" }, host)
    }
    try whole?.put(into: &request, isForm: body.isForm, hasType: hasType)
  }

  // MARK: Bodies of items

  /// A JSON object. Keys are in the order given, without duplicates.
  private func object() throws(RequestItem.Problem) -> RequestBody {
    var root: NestedJSON?
    for item in items {
      let value: NestedJSON
      switch item.kind {
      case .text: value = NestedJSON(spelled: NestedJSON.quoted(try ItemFile.text(of: item)))
      case .json: value = NestedJSON(spelled: try json(item))
      default: continue
      }
      do throws(NestedKey.Problem) {
        let key = try NestedKey(item.name)
        let body = root ?? NestedJSON(for: key)
        root = body
        try body.set(key, value)
      } catch {
        throw RequestItem.Problem(message: error.report(in: item))
      }
    }
    var bytes: [UInt8] = []
    root?.write(to: &bytes)
    return .json(bytes)
  }

  /// Names and values of a form, in the order given.
  private func pairs() throws(RequestItem.Problem) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for item in items {
      switch item.kind {
      case .text: pairs.append((item.name, try ItemFile.text(of: item)))
      case .json: pairs.append((item.name, try plain(item)))
      default: break
      }
    }
    return pairs
  }

  /// A multipart form, in the order of the items.
  private func multipart() throws(RequestItem.Problem) -> RequestBody {
    var parts: [MultipartForm.Part] = []
    for item in items {
      switch item.kind {
      case .text: parts.append(MultipartForm.Part(item.name, try ItemFile.text(of: item)))
      case .json: parts.append(MultipartForm.Part(item.name, try plain(item)))
      case .upload(let type):
        let file = UploadFile(ByteString(try ItemFile.path(of: item)), contentType: type)
        var part = MultipartForm.Part(item.name, file)
        // If the type is unknown, send none.
        part.contentType = type ?? GuessedType.of(item.value)
        parts.append(part)
      case .query, .header, .emptyHeader: break
      }
    }
    return .multipart(MultipartForm(parts))
  }

  /// Validates the value of an item as JSON. Returns its source text in UTF-8, without surrounding
  /// white space.
  private func json(_ item: RequestItem) throws(RequestItem.Problem) -> [UInt8] {
    let bytes = item.isFile ? try ItemFile.bytes(of: item) : Array(item.value.utf8)
    do throws(JSONError) {
      let text = JSONText(try JSONDocument(parsing: bytes).root, spelledBy: bytes)
      return Array(text.bytes[text.range])
    } catch {
      let hint = item.isFile ? "\(item.name)=@\(item.value)" : "\(item.name)=text"
      throw RequestItem.Problem(
        message: "'\(item.word)': its value is not JSON: \(error.description); write text as "
          + hint)
    }
  }

  /// Returns JSON as text: a string without quotes, a number in its source text, true or false.
  /// Throws for other JSON.
  private func plain(_ item: RequestItem) throws(RequestItem.Problem) -> String {
    let text = JSONText(valid: try json(item))
    if let string = text.string { return string }
    guard text.kind != .array, text.kind != .object, !text.isNull else {
      throw RequestItem.Problem(
        message: "'\(item.word)': a form field can be text, a number, true or false, but no other "
          + "JSON")
    }
    return String(decoding: text.bytes[text.range], as: UTF8.self)
  }
}

extension RequestBody? {
  /// Whether there is a body that is not a multipart form.
  fileprivate var isPlain: Bool {
    switch self {
    case nil, .multipart?: false
    case .data(let bytes, _)?: !bytes.isEmpty
    default: true
    }
  }
}

extension RequestBody {
  /// The content type of a form, as HTTPie writes it.
  static let formType = "application/x-www-form-urlencoded; charset=utf-8"

  /// Creates a form in the order of its pairs, encoded as by HTTPie and browsers.
  fileprivate static func form(typed pairs: [(name: String, value: String)]) -> RequestBody {
    .data(PairEncoding.encode(pairs), contentType: formType)
  }
}

extension CallRequest {
  /// Turns a request of the command line into the load of a query. (QUERY-30)
  ///
  /// - Parameter method: The method that the command line sets; `nil` for the configured one.
  mutating func becomeQuery(typedAs method: RequestMethod?) throws(RequestItem.Problem) {
    guard let body else {
      throw RequestItem.Problem(
        message: "a query needs a body: write items such as name=text, or -d or standard input")
    }
    // A server must refuse a query without a content type. (RFC 10008, section 2)
    if case .data([], "") = body {
      throw RequestItem.Problem(
        message: "the body of the query is empty: write its content, or set the type of an empty "
          + "body with -H 'Content-Type: …'")
    }
    do throws(RequestError) {
      try becomeQuery(method: method)
    } catch {
      throw RequestItem.Problem(message: error.userMessage)
    }
  }
}
