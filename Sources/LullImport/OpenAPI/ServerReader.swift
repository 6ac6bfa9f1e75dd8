import LullCore

/// Reads the servers of a document.
struct ServerReader {
  let document: OpenAPIDocument
  /// The base URL that replaces the servers of the document.
  let baseURL: String?

  struct Server: Equatable {
    var url: String
    var description: String?
  }

  /// Returns the servers of the document, with their URLs resolved against the document's URL. The
  /// first one is used as the base URL.
  func servers() throws(DocumentProblem) -> [Server] {
    if let baseURL { return [Server(url: baseURL)] }
    var servers: [Server] = []
    var problem: DocumentProblem?
    for node in document.root["servers"]?.elements ?? [] {
      for server in expanded(node) {
        do throws(DocumentProblem) {
          servers.append(Server(url: try absolute(server.url), description: server.description))
        } catch {
          problem = problem ?? error
        }
      }
    }
    if servers.isEmpty, problem == nil, let url = mostUsed { servers.append(Server(url: url)) }
    if servers.isEmpty,
      document.root["servers"] == nil || document.root["servers"]?.elements.isEmpty == true
    {
      servers.append(Server(url: try absolute("/")))
    }
    guard !servers.isEmpty else {
      throw problem
        ?? DocumentProblem(
          "the document has no server: pass --base-url URL", file: document.set.root.name)
    }
    return servers
  }

  /// The server that most paths and operations name as their own.
  private var mostUsed: String? {
    var counts: [String: Int] = [:]
    for (_, item) in document.root["paths"]?.pairs ?? [] {
      for holder in [item] + item.pairs.map(\.value) {
        guard let own = holder["servers"]?.elements.first.map(expanded)?.first,
          let url = try? absolute(own.url)
        else { continue }
        counts[url, default: 0] += 1
      }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// Expands the URL of a server with the defaults of its variables. If the values of a variable
  /// are names of environments, the result has one server for each value.
  private func expanded(_ node: ImportNode) -> [Server] {
    guard let url = node.string("url") else { return [] }
    let variables = node["variables"]?.pairs ?? []
    var plain = url
    for (name, variable) in variables {
      let value = variable.string("default") ?? variable["default"]?.element.int.map { String($0) }
      plain = plain.replacing("{\(name)}", with: value ?? "{\(name)}")
    }
    // Since OpenAPI 3.2, a server may have a name.
    let description = node.string("name") ?? node.string("description")
    var result = [Server(url: plain, description: description)]
    for (name, variable) in variables where url.contains("{\(name)}") {
      let values = (variable["enum"]?.elements ?? []).compactMap(\.element.string)
      guard values.count > 1, values.allSatisfy({ Self.environment(in: $0) != nil }) else {
        continue
      }
      for value in values where value != variable.string("default") {
        var text = url.replacing("{\(name)}", with: value)
        for (other, variable) in variables {
          text = text.replacing("{\(other)}", with: variable.string("default") ?? "{\(other)}")
        }
        result.append(Server(url: text, description: value))
      }
      if let standard = variable.string("default") { result[0].description = standard }
    }
    return result
  }

  private func absolute(_ text: String) throws(DocumentProblem) -> String {
    let shown = ShortText.comment(String(text.prefix(200)))
    let hint = "pass --base-url URL"
    guard !text.contains("{") else {
      throw DocumentProblem(
        "the server '\(shown)' has a variable without a default: \(hint)",
        file: document.set.root.name)
    }
    let trimmed = String(text.trimmingSpaces.prefix { $0 != "?" && $0 != "#" })
    var url = trimmed
    if !trimmed.hasPrefix("http://"), !trimmed.hasPrefix("https://") {
      guard let home = document.set.root.url, let found = home.relative(trimmed),
        found.text.hasPrefix("http")
      else {
        throw DocumentProblem(
          "the server '\(shown)' is not an absolute URL: \(hint)", file: document.set.root.name)
      }
      url = found.text
    }
    guard let base = ResourceURL.base(url), !base.host.isEmpty, !base.authority.contains("@") else {
      throw DocumentProblem(
        "the server '\(shown)' is not a URL: \(hint)", file: document.set.root.name)
    }
    // Keep the URL unchanged, except for the trailing slash.
    return url.hasSuffix("/") && url.count > 8 ? String(url.dropLast()) : url
  }

  /// Returns the path between the base URL and the operation's path, if the operation or its path
  /// item has its own server.
  func prefix(
    for operation: ImportNode, in item: ImportNode, base: String
  ) throws(DocumentProblem) -> String {
    guard baseURL == nil, let list = operation["servers"] ?? item["servers"],
      let node = list.elements.first,
      let own = expanded(node).first
    else { return "" }
    let url: String
    do throws(DocumentProblem) {
      url = try absolute(own.url)
    } catch {
      throw DocumentProblem(
        "the operation has its own server, '\(ShortText.comment(own.url))', which is not a URL")
    }
    guard url != base else { return "" }
    guard url.hasPrefix(base + "/") else {
      throw DocumentProblem(
        "the operation has its own server, \(ShortText.comment(url)): import it into another file"
      )
    }
    return String(url.dropFirst(base.count))
  }

  // MARK: Environments

  private static let words: [(name: String, words: Set<String>)] = [
    ("production", ["production", "prod", "live"]), ("staging", ["staging", "stage", "stg"]),
    ("sandbox", ["sandbox"]), ("test", ["test", "testing", "qa"]),
    ("development", ["development", "dev", "develop"]), ("local", ["local", "localhost"]),
    ("beta", ["beta"]), ("preview", ["preview"]), ("demo", ["demo"]),
  ]

  /// Returns the environment that a text names. `nil` if the text names no environment, or more
  /// than one.
  static func environment(in text: String) -> String? {
    let found = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let names = words.filter { !$0.words.isDisjoint(with: found) }.map(\.name)
    return names.count == 1 ? names[0] : nil
  }

  /// Returns environments for all servers. `nil` unless each server is clearly a different
  /// environment.
  static func environments(_ servers: [Server]) -> [(name: String, baseURL: String)]? {
    guard servers.count > 1, servers.count < 9 else { return nil }
    var result: [(name: String, baseURL: String)] = []
    for server in servers {
      guard let name = server.description.flatMap(environment) ?? environment(in: server.url),
        !result.contains(where: { $0.name == name })
      else { return nil }
      result.append((name, server.url))
    }
    return result
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
