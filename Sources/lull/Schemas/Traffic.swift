import LullArguments
import LullCassettes
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// Earlier exchanges with an API, from recordings and from the cache.
struct Traffic {
  /// The body of a response.
  enum Body {
    /// The response has no body.
    case none
    case json(JSONDocument)
    /// The body is not JSON. The value is the content type.
    case other(String)
  }

  struct Exchange {
    let method: String
    let url: String
    let status: Int
    let sent: JSONDocument?
    let body: Body
  }

  private let routes: CallRoutes
  private let environment: String?
  private(set) var exchanges: [Exchange] = []
  /// The number of skipped exchanges that belong to other APIs.
  private var others = 0
  /// The number of skipped exchanges that belong to other environments.
  private var strangers = 0

  /// - Parameter environment: The environment to collect. Exchanges that do not name one are
  ///   included.
  init(_ routes: CallRoutes, in environment: String?) {
    self.routes = routes
    self.environment = environment
  }

  /// The exchanges that were skipped, for messages. Empty if nothing was skipped.
  var shownOthers: String {
    var words: [String] = []
    if others > 0 { words.append("\(others) for other URLs") }
    if strangers > 0 { words.append("\(strangers) for other environments") }
    guard !words.isEmpty else { return "" }
    return "; other responses: \(words.joined(separator: " and "))"
  }

  // MARK: Recordings

  /// Adds the exchanges in an HTTP Archive file.
  mutating func addArchive(_ path: String) throws(CommandFailure) {
    let bytes: [UInt8]
    do throws(InputFile.Unreadable) {
      bytes = try InputFile.read(path)
    } catch {
      throw CommandFailure(code: 3, message: "lull: cannot read \(error.message)\n")
    }
    do throws(HARError) {
      for entry in try HARFile(reading: bytes).entries { add(entry) }
    } catch {
      throw CommandFailure(
        code: 3,
        message: "lull: \(InputFile.shownName(path)) is not an HTTP Archive: "
          + "\(error.pointer.isEmpty ? "" : error.pointer + ": ")\(error.problem)\n")
    }
  }

  private mutating func add(_ entry: HAREntry) {
    guard routes.contains(entry.request.url) else {
      others += 1
      return
    }
    guard entry.request.environment == nil || entry.request.environment == environment else {
      strangers += 1
      return
    }
    // Skip incomplete responses and those without content.
    guard let response = entry.response, entry.failure == nil, response.status != 304,
      !response.lacksBody, entry.request.method != "HEAD"
    else { return }
    exchanges.append(
      Exchange(
        method: entry.request.method, url: entry.request.url, status: response.status,
        sent: entry.request.body.flatMap { body in
          let type = Traffic.type(entry.request.headers) ?? body.type
          return Traffic.isJSON(type) ? try? JSONDocument(parsing: body.bytes) : nil
        },
        body: Traffic.body(
          response.body?.bytes ?? [], Traffic.type(response.headers) ?? response.body?.type ?? "")))
  }

  private static func type(_ headers: [HARHeader]) -> String? {
    headers.last { $0.name.lowercased() == "content-type" }.map { String(escaping: $0.value) }
  }

  // MARK: The cache

  /// Adds the API's entries in the cache file. For each URL and each query, the newest entry that
  /// is JSON is added, whichever stage stored it.
  mutating func addCache() throws(CommandFailure) {
    guard let prefix = routes.prefix else { return }
    do throws(CacheInspection.Problem) {
      let cache = try CacheInspection(path: nil)
      for url in try cache.urls(prefix: prefix) {
        for entry in try cache.entries(url: url) where entry.place.address == url {
          let (place, entity) = (entry.place, entry.entity)
          guard case .json(let document) = Traffic.body(entity) else { continue }
          let method = place.query.isEmpty ? "GET" : String(place.query.prefix { $0 != " " })
          exchanges.append(
            Exchange(
              method: method, url: place.url, status: entity.exchange?.status ?? 200, sent: nil,
              body: .json(document)))
          break
        }
      }
    } catch {
      throw CommandFailure(code: 3, message: "lull: \(error.message)\n")
    }
  }

  private static func body(_ entity: Entity) -> Body {
    guard isJSON(entity.contentType) else { return .other(entity.contentType) }
    switch entity.content {
    case .json(let document): return .json(document)
    case .bytes(let bytes): return body(bytes, entity.contentType)
    case .text(let text): return body(Array(text.utf8), entity.contentType)
    case .value, .foreign: return .none
    }
  }

  // MARK: Parts

  private static func isJSON(_ type: String) -> Bool {
    var type = type
    return type.withUTF8 { ContentTypePattern.isJSON($0) && !ContentTypePattern.isJSONLines($0) }
  }

  private static func body(_ bytes: [UInt8], _ type: String) -> Body {
    guard !bytes.isEmpty else { return .none }
    let plain = type.isEmpty ? "no type" : ContentType(type).mediaType
    guard isJSON(type) else { return .other(plain) }
    guard let document = try? JSONDocument(parsing: bytes) else {
      return .other("\(plain) that is not JSON")
    }
    return .json(document)
  }
}

/// The sources of a command's traffic.
struct TrafficOptions {
  let usesCache: Bool
  let archives: [String]

  init(_ parsed: ParsedArguments) {
    usesCache = parsed.has("--from-cache")
    archives = parsed.all("--from-har")
  }

  var isEmpty: Bool { !usesCache && archives.isEmpty }

  /// The traffic of an API from the given sources.
  func traffic(of api: ParsedAPI) throws(CommandFailure) -> Traffic {
    guard api.routes.prefix != nil else {
      throw CommandFailure(
        code: 1,
        message: "lull: \(api.path): its service has no base URL, so its responses cannot be "
          + "recognised\n")
    }
    var traffic = Traffic(api.routes, in: api.environment)
    for archive in archives { try traffic.addArchive(archive) }
    if usesCache { try TrafficOptions.addCache(of: api, to: &traffic) }
    return traffic
  }

  /// Adds the traffic in the cache. Warns if that traffic may belong to another environment.
  static func addCache(of api: ParsedAPI, to traffic: inout Traffic) throws(CommandFailure) {
    let count = traffic.exchanges.count
    try traffic.addCache()
    guard traffic.exchanges.count > count else { return }
    let names = api.neighbours.map { $0.map { "'\($0)'" } ?? "the file without an environment" }
    guard !names.isEmpty else { return }
    Exit.complain(
      "lull: \(names.joined(separator: " and ")) \(names.count == 1 ? "has" : "have") the same URLs, and "
        + "the cache, unlike a recording, does not store the environment of a response\n")
  }
}
