/// Which URLs a block of configuration applies to, and how logs name them. (CFG-19, CFG-20)
///
/// Also passed to `wipeResources(matching:)` (PAT-22).
public struct ConfigurationPattern {
  /// As logs show it: the pattern's text, if it has one.
  public let description: String
  /// What makes it the same one in another process; nil of a function.
  package let text: String?
  /// A predicate that throws settles nothing: the block is skipped and requests fail with its
  /// error.
  public let matches: (ResourceURL) throws(RequestError) -> Bool

  /// Whether it is below a base.
  private var isWildcard = false

  private init(
    _ description: String, text: String?,
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) {
    self.description = description
    self.text = text
    self.matches = matches
  }

  /// The same below another base.
  func rebased(below base: ResourceURL?) -> ConfigurationPattern {
    isWildcard ? .wildcard(description, base: base) : self
  }

  /// A string with wildcards, resolved against `base` unless it begins with a scheme. (PAT-01 to
  /// PAT-18)
  public static func wildcard(_ pattern: String, base: ResourceURL?) -> ConfigurationPattern {
    let compiled = WildcardPattern(pattern, base: base)
    var made = ConfigurationPattern(pattern, text: pattern) { (url) throws(RequestError) in
      compiled.matches(url)
    }
    made.isWildcard = true
    return made
  }

  /// A regular expression, to be found anywhere in the full URL text. (PAT-19 to PAT-21)
  public static func regex(
    _ regex: Regex<AnyRegexOutput>, source: String
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source) { (url) throws(RequestError) in
      // Only a transforming capture can throw, and expressions compiled from text have none.
      (try? regex.firstMatch(in: url.text)) != nil
    }
  }

  /// A pattern with a text of its own, which another process can have as well.
  package static func text(
    _ source: String, _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source, matches)
  }

  /// Any function of the URL. (CFG-06)
  public static func predicate(
    _ description: String = "custom",
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(description, text: nil, matches)
  }

  /// That URL only; of a resource nothing but its URL is kept. (CFG-05)
  public static func url(_ wanted: ResourceURL) -> ConfigurationPattern {
    ConfigurationPattern(wanted.text, text: wanted.text) { (url) throws(RequestError) in
      url == wanted
    }
  }

  /// Every URL.
  public static var all: ConfigurationPattern {
    ConfigurationPattern("all", text: "") { (_) throws(RequestError) in true }
  }
}
