import LullArguments
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let cache = Command(
    "cache", "show or clear the cache on disk", .keep,
    forms: [("cache COMMAND", "show or clear the cache on disk")],
    spec: { CacheCommand.spec }, words: .of(["info", "show", "clear"])
  ) { words, _ throws(CommandEnd) in try CacheCommand(words.dropFirst()).run() }
}

/// `lull cache`: shows and clears the cache file that scripts and calls share.
struct CacheCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull cache",
      description: """
        Shows or clears the cache of lull.cache.file().

          lull cache info          path, size, and the share of each host
          lull cache show URL      the entries of a URL: age, headers, content
          lull cache clear [URL]   delete all entries, or those below a URL

        Other processes may use the cache meanwhile. The exit code is 1 if there is no
        entry to show or the cache cannot be used.
        """,
      arguments: [
        .init("ACTION", help: "info (default), show or clear."),
        .init("URL", help: "The URL of the entries."),
        .init(
          "--path", placeholder: "FILE", help: "Use this cache file.",
          details: "The default is lull/cache.db in $XDG_CACHE_HOME or ~/.cache."),
      ])
  }

  private enum Action {
    case info
    case show(String)
    case clear(String?)
  }

  private let action: Action
  private let path: String?

  /// - Parameter words: The arguments after `cache`.
  init(_ words: some Collection<String>) throws(CommandEnd) {
    let parsed = try CacheCommand.spec.read(words, for: .cache)
    let url = parsed.text("URL")
    path = parsed.text("--path")
    switch parsed.text("ACTION") ?? "info" {
    case "info":
      guard url == nil else { throw .wrongUsage("'lull cache info' takes no URL", .cache) }
      action = .info
    case "show":
      guard let url else { throw .wrongUsage("'lull cache show' needs a URL", .cache) }
      action = .show(url)
    case "clear": action = .clear(url)
    case let word:
      let near = NearestName.suggestion(for: word, among: ["info", "show", "clear"])
      throw .wrongUsage(
        "there is no 'lull cache \(word)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""),
        .cache)
    }
  }

  /// - Returns: the exit code.
  func run() -> Int32 {
    do throws(CacheInspection.Problem) {
      let cache = try CacheInspection(path: path)
      switch action {
      case .info: try info(cache)
      case .show(let url): return try show(url, cache)
      case .clear(let prefix):
        let count = try cache.clear(prefix: prefix)
        CacheCommand.show(
          "\(count.map { "\($0)" } ?? "all") \(count == 1 ? "entry" : "entries") removed")
      }
      return 0
    } catch {
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
  }

  private func info(_ cache: CacheInspection) throws(CacheInspection.Problem) {
    let summary = try cache.summary()
    CacheCommand.show("path     \(cache.path)\(cache.exists ? "" : " (does not exist yet)")")
    CacheCommand.show("size     \(CacheCommand.size(summary.fileSize))")
    CacheCommand.show("entries  \(summary.count)")
    guard let oldest = summary.oldest else { return }
    CacheCommand.show("oldest   \(CacheCommand.age(of: oldest))")
    CacheCommand.show("hosts")
    let width = summary.hosts.map(\.name.count).max() ?? 0
    for host in summary.hosts {
      let name = host.name + String(repeating: " ", count: width - host.name.count)
      CacheCommand.show("  \(name)  \(host.count) in \(CacheCommand.size(host.size))")
    }
  }

  private func show(_ url: String, _ cache: CacheInspection) throws(CacheInspection.Problem)
    -> Int32
  {
    let known = ResourceURL(absolute: url).map { LogText.withoutUser($0.text) } ?? url
    let entries = try cache.entries(url: known)
    guard !entries.isEmpty else {
      Exit.complain("lull: \(LogText.url(known)) is not in the cache\n")
      return 1
    }
    for (number, entry) in entries.enumerated() {
      if number > 0 { CacheCommand.show("") }
      show(entry)
    }
    return 0
  }

  private func show(_ entry: CacheInspection.Entry) {
    let entity = entry.entity
    CacheCommand.show(LogText.url(entry.place.url))
    if !entry.place.query.isEmpty { CacheCommand.show("query     \(entry.place.query)") }
    CacheCommand.show("stage     \(entry.place.stage), version \(entry.place.version)")
    CacheCommand.show("age       \(CacheCommand.age(of: entity.timestamp))")
    if entity.isOutdated {
      CacheCommand.show("stale     invalidated, or written to, since it was loaded")
    }
    if !entry.place.identity.isEmpty {
      CacheCommand.show("identity  \(Hexadecimal.text(entry.place.identity.prefix(4)))…")
    }
    for (label, name) in [("etag", "etag"), ("modified", "last-modified")] {
      guard let value = entity.header(forKey: name) else { continue }
      CacheCommand.show(label + String(repeating: " ", count: 10 - label.count) + value)
    }
    CacheCommand.show("headers")
    for (name, value) in entity.headers.pairs { CacheCommand.show("  \(name): \(value)") }
    var text: [UInt8]
    switch entity.content {
    case .bytes(let bytes): text = bytes
    case .text(let string): text = entity.receivedBytes ?? Array(string.utf8)
    case .json(let document):
      text = []
      document.root.encode(into: &text, pretty: true)
    case .value, .foreign: text = []
    }
    CacheCommand.show("content   \(entity.content.typeName), \(CacheCommand.size(text.count))")
    CacheCommand.show("")
    if text.last != 10 { text.append(10) }
    StandardOutput.write(text)
  }

  private static func show(_ line: String) { StandardOutput.write(line + "\n") }

  private static func size(_ bytes: Int) -> String {
    let units = ["bytes", "KB", "MB", "GB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    guard unit > 0 else { return "\(bytes) bytes" }
    return "\((value * 10).rounded() / 10) \(units[unit])"
  }

  static func age(of timestamp: Double) -> String {
    let seconds = SystemClock.now - timestamp
    guard seconds.isFinite, abs(seconds) < 1e15 else { return "unknown" }
    switch seconds {
    case ..<(-60): return "none: dated \(Int(-seconds)) s in the future, counts as stale"
    case ..<0: return "0 s"
    case ..<120: return "\(Int(seconds)) s"
    case ..<7200: return "\(Int(seconds / 60)) min"
    case ..<172_800: return "\(Int(seconds / 3600)) h"
    default: return "\(Int(seconds / 86400)) days"
    }
  }
}
