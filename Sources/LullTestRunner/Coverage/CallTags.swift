import LullClients
import LullCore
import LullSystem

/// Assigns the exchanges of a test to the declared calls that caused them. Each use of a call is
/// recorded as a tag, and an exchange finds its tag by method and URL.
///
/// An exchange belongs to the last tag with its method, URL and query content. If there is none,
/// only the method and path are compared. In this way, further pages are found, and requests that an identity or a
/// decorator has changed. Home thread only.
final class CallTags {
  private struct Key: Hashable {
    let request: String
    /// The text of the query's identity, with secrets masked; nil for other requests.
    let query: [UInt8]?
  }

  private struct Tag {
    let use: CallUse
    /// The number of exchanges that existed when the call was used.
    let start: Int
  }

  private var tags: [Tag] = []
  private var exact: [Key: [Int]] = [:]
  private var byPath: [String: [Int]] = [:]
  /// The paths with links resolved, keyed by the original path.
  private var resolved: [String: String] = [:]

  /// Records the use of a declared call.
  ///
  /// - Parameter start: The number of exchanges so far.
  func note(_ declared: DeclaredUse, after start: Int) {
    var use = CallUse(
      api: key(of: declared.api.path), environment: declared.api.environment?.name,
      call: declared.call.name)
    for parameter in declared.call.parameters {
      if declared.given.contains(parameter.name) { use.parameters.append(parameter.name) }
      if case .choice = parameter.kind, let value = declared.values[parameter.name] {
        for word in value.texts {
          let given = CallUse.Value(parameter: parameter.name, text: word)
          if !use.values.contains(given) { use.values.append(given) }
        }
      }
    }
    let method = declared.method.rawValue
    exact[CallTags.key(method, declared.url, declared.query), default: []].append(tags.count)
    byPath[CallTags.pathKey(method, declared.url), default: []].append(tags.count)
    tags.append(Tag(use: use, start: start))
  }

  /// Returns the calls that caused these exchanges, with their statuses.
  func uses(in exchanges: [StubExchange]) -> [CallUse] {
    guard !tags.isEmpty else { return [] }
    var uses: [CallUse] = []
    for (number, exchange) in exchanges.enumerated() {
      guard let tag = tag(of: exchange, number) else { continue }
      let known = uses.firstIndex { $0.isAlike(tag.use) }
      let place = known ?? uses.count
      if known == nil { uses.append(tag.use) } else { uses[place].add(tag.use) }
      uses[place].add(exchange.status)
    }
    return uses
  }

  private func tag(of exchange: StubExchange, _ number: Int) -> Tag? {
    let (method, url) = (exchange.request.method.rawValue, exchange.request.url)
    let places =
      exact[CallTags.key(method, url, exchange.query)] ?? byPath[CallTags.pathKey(method, url)]
      ?? []
    return places.last { tags[$0].start <= number }.map { tags[$0] }
  }

  private func key(of path: String) -> String {
    if let known = resolved[path] { return known }
    let key = FileName.resolved(path) ?? path
    resolved[path] = key
    return key
  }

  private static func key(_ method: String, _ url: String, _ query: QueryIdentity?) -> Key {
    Key(request: "\(method) \(url.prefix { $0 != "#" })", query: query?.text)
  }

  private static func pathKey(_ method: String, _ url: String) -> String {
    "\(method) \(url.prefix { $0 != "?" && $0 != "#" })"
  }
}
