package import LullCore

/// What is wrong with API files, found without asking any network.
package final class APIFileChecker {
  package struct Finding: Equatable {
    package let place: SourcePlace
    package let text: String
  }

  package private(set) var findings: [Finding] = []

  package init() {}

  /// Loads a file and looks at it; what was found about it, in the order of its lines.
  ///
  /// - Parameter host: one that inspects only.
  package static func findings(in path: String, _ host: LuaHost) -> [Finding] {
    let checker = APIFileChecker()
    host.checker = checker
    defer { host.checker = nil }
    do throws(APIFileProblem) {
      let api = try host.api(path)
      for request in host.openRequests where request.resource?.service === api.service {
        checker.note(
          "asks the network while it is loaded: \(request.description)",
          at: SourcePlace(file: path, line: 0))
      }
    } catch {
      checker.note(error, in: path)
    }
    if case .success(let bytes) = TextFile.read(Array(path.utf8)) {
      for (line, text) in WrittenSecrets(bytes).findings {
        checker.note(text, at: SourcePlace(file: path, line: line))
      }
    }
    return checker.findings.sorted { ($0.place.line, $0.text) < ($1.place.line, $1.text) }
  }

  func note(_ text: String, at place: SourcePlace) {
    let finding = Finding(place: place, text: text)
    if !findings.contains(finding) { findings.append(finding) }
  }

  private func note(_ problem: APIFileProblem, in path: String) {
    switch problem {
    case .missing(let text): note(text, at: SourcePlace(file: path, line: 0))
    case .declaration(let place, let text): note(text, at: place)
    case .syntax(let message, _, _): note(raised: message, in: path)
    case .failed(let problem): note(raised: problem.failure.message, in: path)
    }
  }

  /// A message that begins with its place, if it does.
  private func note(raised message: String, in path: String) {
    if message.hasPrefix(path + ":") {
      let rest = message.dropFirst(path.count + 1)
      let digits = rest.prefix { $0.isNumber }
      if let line = Int(digits), rest.dropFirst(digits.count).hasPrefix(": ") {
        return note(
          String(rest.dropFirst(digits.count + 2)), at: SourcePlace(file: path, line: line))
      }
    }
    note(message, at: SourcePlace(file: path, line: 0))
  }

  // MARK: Patterns

  /// A pattern that no path of its service can match.
  func look(atPattern pattern: String, of service: Service, at place: SourcePlace?) {
    guard let place, let base = service.baseURL else { return }
    if let text = APIFileChecker.objection(to: pattern, base: base) {
      note("pattern '\(pattern)' \(text)", at: place)
    }
  }

  static func objection(to pattern: String, base: ResourceURL) -> String? {
    if pattern.contains("#") { return "cannot match: URLs are sent without what follows a #" }
    if let mark = pattern.firstIndex(of: "?") {
      let name = pattern[pattern.index(after: mark)...].prefix {
        $0.isLetter || $0.isNumber || $0 == "_"
      }
      if !name.isEmpty, pattern[name.endIndex...].hasPrefix("=") {
        return "cannot match: the query takes no part, and ? stands for one character"
      }
    }
    let basePath = APIFileChecker.path(of: base.text)
    guard let scheme = pattern.firstRange(of: "://") else {
      let path = pattern.hasPrefix("/") ? pattern : "/" + pattern
      if basePath != "/", path == String(basePath.dropLast()) || path.hasPrefix(basePath) {
        return "continues the base URL, so it would match \(basePath.dropLast())\(path)"
      }
      return nil
    }
    let authority = pattern[scheme.upperBound...].prefix { $0 != "/" }
    guard !authority.contains(where: { "*?".contains($0) }) else { return nil }
    let origin = ResourceURL(absolute: String(pattern[..<scheme.upperBound]) + authority + "/")
    if origin?.origin != base.origin {
      return "is on another host than \(LogText.url(base.text)): no path of the service matches it"
    }
    let literal = APIFileChecker.path(of: pattern).prefix { !"*?".contains($0) }
    guard basePath.hasPrefix(literal) || literal.hasPrefix(basePath) else {
      return "is outside the base URL \(LogText.url(base.text)): no path of the service matches it"
    }
    return nil
  }

  /// From the first slash behind the host, ending in a slash where that is all.
  private static func path(of url: String) -> String {
    let rest = url[(url.firstRange(of: "://")?.upperBound ?? url.startIndex)...]
    let path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].prefix {
      $0 != "?" || url.contains("*")
    }
    if path.contains("*") { return String(path) }
    return path.hasSuffix("/") ? String(path) : path + "/"
  }
}
