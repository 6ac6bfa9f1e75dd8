package import LullCore
import LullHost

extension APIFileChecker {
  /// Reports a URL pattern that can't match any path of the service.
  package func inspect(pattern: String, of service: Service, at place: SourcePlace?) {
    guard let place, let base = service.baseURL else { return }
    if let text = APIFileChecker.objection(to: pattern, base: base) {
      note("pattern '\(pattern)' \(text)", at: place)
    }
  }

  static func objection(to pattern: String, base: ResourceURL) -> String? {
    if pattern.contains("#") { return "cannot match: URLs are sent without their fragment (#…)" }
    if let mark = pattern.firstIndex(of: "?") {
      let name = pattern[pattern.index(after: mark)...].prefix {
        $0.isLetter || $0.isNumber || $0 == "_"
      }
      if !name.isEmpty, pattern[name.endIndex...].hasPrefix("=") {
        return "cannot match: patterns ignore the query, and ? matches one character"
      }
    }
    let basePath = APIFileChecker.path(of: base.text)
    if pattern.contains("{") || pattern.contains("}") {
      return "cannot match: braces are literal; * matches within a path segment"
    }
    if pattern.hasPrefix("//") {
      return "begins with two slashes, but is relative to \(LogText.url(base.text)), whose paths "
        + "begin with one"
    }
    guard let scheme = pattern.firstRange(of: "://") else {
      let path = pattern.hasPrefix("/") ? pattern : "/" + pattern
      if basePath != "/", path == String(basePath.dropLast()) || path.hasPrefix(basePath) {
        return "continues the base URL, so it would match \(basePath.dropLast())\(path)"
      }
      return nil
    }
    let authority = pattern[scheme.upperBound...].prefix { $0 != "/" }
    let start = String(pattern[..<scheme.upperBound]) + authority
    let isSameHost =
      if authority.contains(where: { "*?".contains($0) }) {
        authority.contains("**") || WildcardPattern(start + "/**", base: nil).matches(base)
      } else {
        ResourceURL(absolute: start + "/")?.origin == base.origin
      }
    guard isSameHost else {
      return "is on another host than \(LogText.url(base.text)): no path of the service matches it"
    }
    guard !authority.contains(where: { "*?".contains($0) }) else { return nil }
    let literal = APIFileChecker.path(of: pattern).prefix { !"*?".contains($0) }
    guard basePath.hasPrefix(literal) || literal.hasPrefix(basePath) else {
      return "is outside the base URL \(LogText.url(base.text)): no path of the service matches it"
    }
    return nil
  }

  /// Returns the part of a URL from the first slash after the host. The result is `/` if there is
  /// no path.
  private static func path(of url: String) -> String {
    let rest = url[(url.firstRange(of: "://")?.upperBound ?? url.startIndex)...]
    let path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].prefix {
      $0 != "?" || url.contains("*")
    }
    if path.contains("*") { return String(path) }
    return path.hasSuffix("/") ? String(path) : path + "/"
  }
}
