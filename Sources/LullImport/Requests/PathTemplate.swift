import LullHost
import LullLuaSource

/// A path in which some segments are parameters: placeholders, and segments that are certainly
/// numbers or identifiers.
struct PathTemplate {
  enum Segment: Equatable {
    case text(String)
    /// A parameter, with its value in the request. `nil` if there is no value.
    case place(String?)
    /// A segment that contains placeholders and other text.
    case mixed(String)
  }

  let segments: [Segment]
  /// Identifies the template: paths with the same key have the same template.
  let key: String

  init(_ path: String) {
    var segments: [Segment] = []
    for (position, text) in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .enumerated()
    {
      let text = String(text)
      if Blank.name(text) != nil {
        segments.append(.place(text))
      } else if Blank.isIn(text) {
        segments.append(.mixed(text))
      } else if !ParsedValues.isHarmlessSegment(text)
        || position > 0 && PathTemplate.isCertain(text)
      {
        // In the first segment, a number is not a parameter, because it may be a version.
        segments.append(.place(text))
      } else {
        segments.append(.text(text))
      }
    }
    self.segments = segments
    key = segments.map { segment in
      switch segment {
      case .text(let text): "/\(text)"
      case .place: "/{}"
      case .mixed(let text): "/" + Blank.replacing(in: text) { _ in "{}" }
      }
    }.joined()
  }

  /// Whether the text is a number, a UUID or a database ID.
  static func isCertain(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return !text.isEmpty }
    if text.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil {
      return true
    }
    return text.utf8.count >= 24 && text.allSatisfy(\.isHexDigit)
      && text.contains(where: \.isNumber)
  }

  /// Returns the names of the parameters. A single parameter is named `id`. Several parameters are
  /// named after the segments that precede them.
  func names() -> [String] {
    let count = values.count
    var before = ""
    var names: [String] = []
    for segment in segments {
      switch segment {
      case .text(let text): before = text
      case .place(let value):
        if let blank = value.flatMap({ Blank.name($0) }) {
          names.append(UniqueNames.plain(blank, else: "id"))
        } else {
          let thing = UniqueNames.plain(PathTemplate.singular(before.lowercased()), else: "")
          names.append(count == 1 || thing.isEmpty ? "id" : "\(thing)_id")
        }
      case .mixed: break
      }
    }
    return names
  }

  private static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    if word.hasSuffix("ses") || word.hasSuffix("xes") || word.hasSuffix("ches") {
      return String(word.dropLast(2))
    }
    guard word.hasSuffix("s"), word.count > 3, !["ss", "us", "is"].contains(word.suffix(2)) else {
      return word
    }
    return String(word.dropLast())
  }

  /// A name for the resource, such as `users` or `users_posts`.
  var title: String {
    var words: [String] = []
    var endsWithPlace = false
    for segment in segments {
      endsWithPlace = true
      guard case .text(let text) = segment else { continue }
      endsWithPlace = false
      let isGeneral = text.wholeMatch(of: /api|rest|v?[0-9.]+/) != nil
      let word = UniqueNames.plain(ParsedRequest.decoded(text), else: "").replacing("-", with: "_")
      if !isGeneral, !word.isEmpty { words.append(word) }
    }
    let title = words.suffix(3).joined(separator: "_").lowercased()
    return (title.isEmpty ? "root" : title) + (endsWithPlace ? "_by_id" : "")
  }
}

/// Percent-encodes texts as in forms.
enum PercentText {
  /// Encodes all characters except the unreserved ones of RFC 3986, section 2.3. A space becomes
  /// `+`.
  static func escaped(_ text: some StringProtocol) -> String {
    var result: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.append(byte)
      case UInt8(ascii: " "): result.append(UInt8(ascii: "+"))
      default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// A base URL of the calls in a file.
struct BaseURL {
  /// The URL as written in the file.
  let text: String
  let origin: String
  /// The path of the URL without a trailing slash. Often empty.
  let path: String

  private init?(_ text: String) {
    var request = ParsedRequest()
    guard request.take(url: text) else { return nil }
    self.text = text
    origin = request.origin
    var path = request.path
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// Returns all base URLs in the part of a file before its calls, including the base URLs of
  /// environments.
  static func named(in file: DeclaredFile) -> [BaseURL] {
    let tokens = file.tokens[..<file.calls.tokens.lowerBound]
    return tokens.indices.dropLast(2).compactMap { place in
      guard tokens[place].kind == .name, tokens[place].text == "base_url",
        tokens[place + 1].isSymbol("="), tokens[place + 2].kind == .string
      else { return nil }
      return BaseURL(tokens[place + 2].text)
    }
  }

  /// Returns the path of a request below this URL, with a leading slash. `nil` if the request is
  /// not below it.
  func path(of request: ParsedRequest) -> String? {
    guard request.origin == origin, request.path.hasPrefix(path) else { return nil }
    let rest = request.path.dropFirst(path.count)
    return rest.hasPrefix("/") ? String(rest) : nil
  }
}
