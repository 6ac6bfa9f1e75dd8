import LullCassettes
import LullCore

/// Creates an API from requests recorded by browsers and proxies.
package struct HARImport {
  /// - Parameters:
  ///   - only: The URL prefixes of the requests to include, all with the same host. If the list is
  ///     empty, the host with the most requests is used.
  ///   - name: The name of the API. The names of environment variables begin with it.
  package static func api(
    _ bytes: [UInt8], only: [String], name: String
  ) throws(ImportProblem) -> ImportedAPI {
    let file: HARFile
    do throws(HARError) {
      file = try HARFile(reading: bytes)
    } catch {
      throw ImportProblem("this is not an HTTP Archive: \(error)")
    }
    var requests: [ParsedRequest] = []
    var assets = 0
    var checks = 0
    var others: [String: Int] = [:]
    var unreadable: [(request: ParsedRequest, problem: String)] = []
    for entry in file.entries {
      var request = ParsedRequest()
      guard request.take(url: Blank.without(entry.request.url)),
        Headers.problem(entry.request.method, "".utf8) == nil
      else {
        others["URLs other than HTTP", default: 0] += 1
        continue
      }
      request.method = entry.request.method
      if request.method == "OPTIONS" || request.method == "CONNECT" {
        checks += 1
      } else if isAsset(entry) {
        assets += 1
      } else if let problem = entry.request.bodyProblem {
        unreadable.append((request, problem))
      } else {
        take(entry.request, &request)
        requests.append(request)
      }
    }
    let origin = try origin(of: requests, only)
    var own: [ParsedRequest] = []
    func isWanted(_ request: ParsedRequest) -> Bool {
      let url = request.origin + request.path
      return request.origin == origin
        && (only.isEmpty || only.contains { url.hasPrefix($0) })
    }
    for request in requests {
      if isWanted(request) {
        own.append(request)
      } else {
        others[request.origin, default: 0] += 1
      }
    }
    guard !own.isEmpty else {
      throw ImportProblem(
        only.isEmpty
          ? "the archive has no API requests (\(assets) requests are for pages, images, styles and scripts)"
          : "no request has a URL that begins with a URL of --only; requests in the archive: \(hosts(others))"
      )
    }
    var api = RequestImport(
      own, origin: origin, isRecorded: true, variables: VariableNames(api: name)
    ).api
    for (request, problem) in unreadable where isWanted(request) {
      api.leftOut.append(
        .init(what: request.shown, reason: "the body cannot be read: \(LogText.part(problem))"))
    }
    if assets > 0 {
      api.notes.append("requests left out: \(assets) for pages, images, styles, scripts and fonts")
    }
    if checks > 0 {
      api.notes.append("left out: preflight requests of browsers (OPTIONS): \(checks)")
    }
    if !others.isEmpty {
      api.notes.append("requests left out: \(hosts(others)) (choose URLs with --only)")
    }
    return api
  }

  private static func hosts(_ counts: [String: Int]) -> String {
    let all = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = all.prefix(5).map { "\($0.value) to \(LogText.part($0.key, limit: 60))" }
    return shown.joined(separator: ", ")
      + (all.count > 5 ? " and \(all.count - 5) other hosts" : "")
  }

  private static func origin(
    of requests: [ParsedRequest], _ only: [String]
  ) throws(ImportProblem) -> String {
    var origins: Set<String> = []
    for start in only {
      var named = ParsedRequest()
      guard named.take(url: start) else {
        throw ImportProblem("'\(LogText.part(start, limit: 80))' is not a URL")
      }
      origins.insert(named.origin)
    }
    guard origins.count < 2 else {
      throw ImportProblem(
        "the URLs of --only have several hosts, but an API file is for one host: import each host into its own file"
      )
    }
    if let origin = origins.first { return origin }
    var counts: [String: Int] = [:]
    for request in requests { counts[request.origin, default: 0] += 1 }
    let most = counts.values.max()
    return requests.first { counts[$0.origin] == most }?.origin ?? ""
  }

  private static func take(_ recorded: HARRequest, _ request: inout ParsedRequest) {
    request.isSafe = recorded.isDeclaredSafe
    request.headers = recorded.headers.map { header in
      (header.name, Blank.without(String(decoding: header.value, as: UTF8.self)))
    }
    guard let body = recorded.body, !body.bytes.isEmpty else { return }
    if request.header("content-type") == nil, !body.type.isEmpty {
      request.headers.append(("Content-Type", body.type))
    }
    let text = String(validating: body.bytes, as: UTF8.self).map { Blank.without($0) }
    let type = request.bodyType
    if type == "application/x-www-form-urlencoded", let text,
      let fields = ParsedRequest.fields(text)
    {
      request.body = .fields(fields)
    } else if type == "multipart/form-data",
      let parts = MultipartText.parts(
        String(decoding: body.bytes, as: UTF8.self), type: request.header("content-type") ?? "")
    {
      request.body = .parts(parts)
    } else {
      request.body = .whole(text)
    }
  }

  private static let assetTypes = [
    "text/html", "text/css", "text/javascript", "application/javascript",
    "application/x-javascript",
    "application/wasm", "application/manifest+json", "application/font", "application/xhtml+xml",
    "application/vnd.ms-fontobject",
  ]

  private static let assetEndings: Set<String> = [
    "css", "js", "mjs", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff", "woff2",
    "ttf",
    "otf", "map", "mp4", "webm", "mp3", "html", "htm",
  ]

  /// Whether an entry belongs to a web page: it is a response to GET or HEAD that contains no data
  /// for programs.
  private static func isAsset(_ entry: HAREntry) -> Bool {
    guard entry.request.method == "GET" || entry.request.method == "HEAD" else { return false }
    let type =
      entry.response?.headers.last { $0.name.lowercased() == "content-type" }
      .map { String(decoding: $0.value, as: UTF8.self) } ?? entry.response?.body?.type
      ?? entry.response?.missingType ?? ""
    let kind = type.lowercased().prefix { $0 != ";" }
    if kind.isEmpty {
      let path = entry.request.url.prefix { $0 != "?" && $0 != "#" }
      let last = path.split(separator: "/").last ?? ""
      return last.contains(".")
        && assetEndings.contains(last.split(separator: ".").last?.lowercased() ?? "")
    }
    return ["image/", "font/", "audio/", "video/"].contains { kind.hasPrefix($0) }
      || assetTypes.contains { kind.hasPrefix($0) }
  }
}
