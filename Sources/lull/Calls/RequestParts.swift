import LullCore
import LullHost
import LullREPL

/// What items and options say of a request, put into it.
struct RequestParts {
  private let items: [RequestItem]
  private let headers: [RequestItem]
  private let data: String?
  private let isForm: Bool

  init(_ items: [RequestItem], headers: [RequestItem], data: String?, isForm: Bool) {
    self.items = items
    self.headers = headers
    self.data = data
    self.isForm = isForm
  }

  func apply(to request: inout CallRequest) throws(RequestItem.Problem) {
    var repeated: [(name: String, value: String)] = []
    for item in headers + items {
      switch item {
      case .header(let name, let value): request.headers.append((name, value))
      case .query(let name, let value):
        let isThere = request.resource.withParam(name, nil).url != request.resource.url
        if isThere {
          repeated.append((name, value))
        } else {
          request.resource = request.resource.withParam(name, value)
        }
      default: break
      }
    }
    // Last: setting a parameter leaves one of each name.
    for (name, value) in repeated { RequestParts.append(name, value, to: &request.resource) }
    let hasType = request.headers.contains { $0.name.lowercased() == "content-type" }
    if let data {
      request.body = try whole(data, hasType: hasType)
    } else if items.contains(where: \.isBody) {
      request.body = isForm ? try form() : try object()
    }
  }

  /// One more parameter of a name that the query has.
  private static func append(_ name: String, _ value: String, to resource: inout Resource) {
    // Written as it is where it stands alone.
    let alone = ResourceURL(absolute: "http://alone.invalid/")?.withParams([(name, value)])
    guard let alone, let mark = alone.percentEncoded.firstIndex(of: "?") else { return }
    let pair = alone.percentEncoded[mark...].dropFirst()
    resource = resource.service.resource(absoluteURL: resource.url.percentEncoded + "&" + pair)
  }

  /// The body as it stands; JSON unless a header says something else.
  private func whole(_ data: String, hasType: Bool) throws(RequestItem.Problem) -> RequestBody {
    let bytes: [UInt8]
    if data == "-" {
      bytes = try RequestParts.read { () throws(SourceFile.Unreadable) in
        try SourceFile.read(0, name: "standard input")
      }
    } else if data.hasPrefix("@") {
      bytes = try RequestParts.file(String(data.dropFirst()))
    } else {
      bytes = Array(data.utf8)
    }
    if isForm { return .data(bytes, contentType: "application/x-www-form-urlencoded") }
    if !hasType {
      do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes)
      } catch {
        throw RequestItem.Problem(
          message: "the body is not JSON: \(error.description); say what it is with "
            + "-H 'Content-Type: …'")
      }
    }
    return .json(bytes)
  }

  private func object() throws(RequestItem.Problem) -> RequestBody {
    var members: [JSONValue.Member] = []
    for item in items {
      switch item {
      case .text(let name, let value): members.append(.init(name, .string(value)))
      case .json(let name, let value):
        members.append(.init(name, try RequestParts.json(Array(value.utf8), of: name)))
      case .textFile(let name, let path):
        members.append(
          .init(name, .string(String(decoding: try RequestParts.file(path), as: UTF8.self))))
      case .jsonFile(let name, let path):
        members.append(.init(name, try RequestParts.json(try RequestParts.file(path), of: name)))
      case .query, .header: break
      }
    }
    do throws(JSONError) {
      return .json(try JSONValue.object(members).encode())
    } catch {
      throw RequestItem.Problem(message: error.description)
    }
  }

  private func form() throws(RequestItem.Problem) -> RequestBody {
    var pairs: [(name: String, value: String)] = []
    for item in items {
      switch item {
      case .text(let name, let value), .json(let name, let value): pairs.append((name, value))
      case .textFile(let name, let path), .jsonFile(let name, let path):
        pairs.append((name, String(decoding: try RequestParts.file(path), as: UTF8.self)))
      case .query, .header: break
      }
    }
    return .form(pairs)
  }

  private static func json(_ bytes: [UInt8], of name: String) throws(RequestItem.Problem)
    -> JSONValue
  {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes).root.plainValue
    } catch {
      throw RequestItem.Problem(
        message: "the value of '\(name)' is not JSON: \(error.description); a text is written "
          + "\(name)=text")
    }
  }

  private static func file(_ path: String) throws(RequestItem.Problem) -> [UInt8] {
    try read { () throws(SourceFile.Unreadable) in try SourceFile.read(Array(path.utf8)) }
  }

  private static func read(_ body: () throws(SourceFile.Unreadable) -> [UInt8])
    throws(RequestItem.Problem) -> [UInt8]
  {
    do throws(SourceFile.Unreadable) {
      return try body()
    } catch {
      throw RequestItem.Problem(message: "cannot read '\(error.name)': \(error.reason)")
    }
  }
}
