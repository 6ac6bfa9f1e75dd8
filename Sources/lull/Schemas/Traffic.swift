import LullArguments
import LullCassettes
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// Exchanges with an API that took place before: out of recordings, and out of the cache.
struct Traffic {
  /// What an answer had.
  enum Body {
    /// Nothing at all.
    case none
    case json(JSONDocument)
    /// Something else, by its type.
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
  /// How many there were of other APIs.
  private var others = 0
  /// How many of them were of other environments.
  private var strangers = 0

  /// - Parameter environment: of which they are; what does not say of which it is may be of any.
  init(_ routes: CallRoutes, in environment: String?) {
    self.routes = routes
    self.environment = environment
  }

  /// What else was there, for messages; empty if nothing was.
  var shownOthers: String {
    var words: [String] = []
    if others > 0 { words.append("\(others) of other URLs") }
    if strangers > 0 { words.append("\(strangers) of other environments") }
    guard !words.isEmpty else { return "" }
    return "; there \(others + strangers == 1 ? "is" : "are") \(words.joined(separator: " and "))"
  }

  // MARK: Recordings

  /// Reads an HTTP Archive.
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
    // Neither what came only in part, nor what says that nothing has changed.
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

  /// Takes what the cache file has of the API: of each URL the newest that is JSON, at whatever stage.
  mutating func addCache() throws(CommandFailure) {
    guard let prefix = routes.prefix else { return }
    do throws(CacheInspection.Problem) {
      let cache = try CacheInspection(path: nil)
      for url in try cache.urls(prefix: prefix) {
        for entity in try cache.entries(url: url).map(\.entity) {
          guard case .json(let document) = Traffic.body(entity) else { continue }
          exchanges.append(
            Exchange(
              method: "GET", url: url, status: entity.exchange?.status ?? 200, sent: nil,
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

/// Where a command has its traffic from.
struct TrafficOptions {
  let usesCache: Bool
  let archives: [String]

  init(_ parsed: ParsedArguments) {
    usesCache = parsed.has("--from-cache")
    archives = parsed.all("--from-har")
  }

  var isEmpty: Bool { !usesCache && archives.isEmpty }

  /// What there is of an API in the places that are named.
  func traffic(of api: ParsedAPI) throws(CommandFailure) -> Traffic {
    guard api.routes.prefix != nil else {
      throw CommandFailure(
        code: 1,
        message: "lull: \(api.path): its service has no base URL by which its traffic is known\n")
    }
    var traffic = Traffic(api.routes, in: api.environment)
    for archive in archives { try traffic.addArchive(archive) }
    if usesCache { try TrafficOptions.addCache(of: api, to: &traffic) }
    return traffic
  }

  /// Says besides where that may be of another environment, too.
  static func addCache(of api: ParsedAPI, to traffic: inout Traffic) throws(CommandFailure) {
    let count = traffic.exchanges.count
    try traffic.addCache()
    guard traffic.exchanges.count > count else { return }
    let names = api.neighbours.map { $0.map { "'\($0)'" } ?? "the file without an environment" }
    guard !names.isEmpty else { return }
    Exit.complain(
      "lull: the cache does not say of which environment it keeps an answer, and \(names.joined(separator: " and ")) "
        + "\(names.count == 1 ? "has" : "have") the same URLs: recordings do\n")
  }
}
