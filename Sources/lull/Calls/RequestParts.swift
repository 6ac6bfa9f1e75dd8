import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

/// What items and options say of a request, put into it.
struct RequestParts {
  private let items: [RequestItem]
  private let headers: [RequestItem]
  private let data: String?
  private let isForm: Bool
  private let ignoresInput: Bool
  private let timeout: Double?

  /// - Parameter data: what `-d` gives.
  init(_ items: [RequestItem], _ options: CallOptions, data: String?, isForm: Bool) {
    self.items = items
    headers = options.headers
    self.data = data
    self.isForm = isForm
    ignoresInput = options.ignoresInput
    timeout = options.timeout
  }

  func apply(to request: inout CallRequest, _ host: LuaHost) throws(RequestItem.Problem) {
    // A query that is written out stays as it is.
    let hasQuery = request.resource.url.query != nil
    var repeated: [(name: String, value: String)] = []
    for item in headers + items {
      switch item {
      case .header(let name, let value): request.headers.append((name, value))
      case .query(let name, let value):
        let isThere = request.resource.withParam(name, nil).url != request.resource.url
        if hasQuery || isThere {
          repeated.append((name, value))
        } else {
          request.resource = request.resource.withParam(name, value)
        }
      default: break
      }
    }
    // Last: setting a parameter leaves one of each name.
    for (name, value) in repeated { RequestParts.append(name, value, to: &request.resource) }
    let item = items.first(where: \.isBody)
    if item != nil {
      let hasFiles = items.contains { if case .upload = $0 { true } else { false } }
      request.body = hasFiles ? try multipart() : isForm ? try form() : try object()
    }
    var whole: WholeBody?
    if let data {
      whole = try WholeBody(data: data, host)
    } else if !ignoresInput {
      whole = try WholeBody(inputOf: request.method, beside: item.map { "'\($0.name)'" }, host)
    }
    if let whole {
      let hasType = request.headers.contains { $0.name.lowercased() == "content-type" }
      request.body = try whole.body(isForm: isForm, hasType: hasType)
    }
    // What is read while it is sent has no other.
    if request.body?.hasFiles ?? false { request.timeout = timeout }
  }

  /// One more parameter of a name that the query has.
  private static func append(_ name: String, _ value: String, to resource: inout Resource) {
    let url = resource.url.appendingParam(name, value)
    resource = resource.service.resource(absoluteURL: url.percentEncoded)
  }

  private func object() throws(RequestItem.Problem) -> RequestBody {
    var members: [(name: String, json: [UInt8])] = []
    func set(_ name: String, _ json: [UInt8]) {
      // Each once, at its first position, with its last value. (JSN-13)
      if let place = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        members[place].json = json
      } else {
        members.append((name, json))
      }
    }
    for item in items {
      switch item {
      case .text(let name, let value): set(name, RequestParts.quoted(value))
      case .json(let name, let value): set(name, try RequestParts.json(Array(value.utf8), of: name))
      case .textFile(let name, let path):
        set(name, RequestParts.quoted(try RequestParts.text(path)))
      case .jsonFile(let name, let path):
        set(name, try RequestParts.json(try RequestParts.file(path), of: name))
      case .query, .header, .upload: break
      }
    }
    let pairs = members.map { RequestParts.quoted($0.name) + [UInt8(ascii: ":")] + $0.json }
    return .json(Array("{".utf8) + pairs.joined(separator: ",".utf8) + Array("}".utf8))
  }

  private static func quoted(_ text: String) -> [UInt8] {
    // A string always has a JSON form.
    (try? JSONValue.string(text).encode()) ?? []
  }

  private func form() throws(RequestItem.Problem) -> RequestBody {
    var pairs: [(name: String, value: String)] = []
    for item in items {
      switch item {
      case .text(let name, let value), .json(let name, let value): pairs.append((name, value))
      case .textFile(let name, let path), .jsonFile(let name, let path):
        pairs.append((name, try RequestParts.text(path)))
      case .query, .header, .upload: break
      }
    }
    return .form(pairs)
  }

  /// In the order of the items.
  private func multipart() throws(RequestItem.Problem) -> RequestBody {
    var parts: [MultipartForm.Part] = []
    for item in items {
      switch item {
      case .text(let name, let value), .json(let name, let value):
        parts.append(MultipartForm.Part(name, value))
      case .textFile(let name, let path), .jsonFile(let name, let path):
        parts.append(MultipartForm.Part(name, try RequestParts.text(path)))
      case .upload(let name, let path, let type):
        if let reason = ReadableFile.problem(Array(path.utf8)) {
          throw RequestItem.Problem(message: "cannot read '\(path)': \(reason)")
        }
        parts.append(MultipartForm.Part(name, UploadFile(ByteString(path), contentType: type)))
      case .query, .header: break
      }
    }
    return .multipart(MultipartForm(parts))
  }

  /// The bytes as they are, once they are known to be JSON; in UTF-8, and without what surrounds them.
  private static func json(_ bytes: [UInt8], of name: String) throws(RequestItem.Problem)
    -> [UInt8]
  {
    do throws(JSONError) {
      let text = JSONText(try JSONDocument(parsing: bytes).root, spelledBy: bytes)
      return Array(text.bytes[text.range])
    } catch {
      throw RequestItem.Problem(
        message: "the value of '\(name)' is not JSON: \(error.description); a text is written "
          + "\(name)=text")
    }
  }

  /// The content of a file for where only text can stand.
  private static func text(_ path: String) throws(RequestItem.Problem) -> String {
    let bytes = try file(path)
    guard let text = ByteString(bytes).text else {
      throw RequestItem.Problem(
        message: "'\(path)' is not text in UTF-8; send it as it is with -d @\(path)")
    }
    return text
  }

  static func file(_ path: String) throws(RequestItem.Problem) -> [UInt8] {
    try WholeBody.reading { () throws(SourceFile.Unreadable) in
      try SourceFile.read(Array(path.utf8))
    }
  }
}
