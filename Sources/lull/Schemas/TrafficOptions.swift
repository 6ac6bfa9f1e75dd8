import LullArguments
import LullClients

/// Where a command has its traffic from.
struct TrafficOptions {
  let usesCache: Bool
  let archives: [String]

  init(_ parsed: ParsedArguments) {
    usesCache = parsed.has("--from-cache")
    archives = parsed.all("--from-har")
  }

  static var arguments: [Argument] {
    [
      .init(
        "--from-cache", kind: .flag, help: "use what lull.cache.file() keeps of the API's URLs"),
      .init(
        "--from-har", placeholder: "FILE", demand: .fileName,
        help:
          "use a recording: a cassette of lull test, or an HTTP Archive of whichever program; - is standard input",
        isRepeated: true),
    ]
  }

  var isEmpty: Bool { !usesCache && archives.isEmpty }

  /// What there is of an API in the places that are named.
  func traffic(of api: SeenAPI) throws(CommandFailure) -> Traffic {
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
  static func addCache(of api: SeenAPI, to traffic: inout Traffic) throws(CommandFailure) {
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
