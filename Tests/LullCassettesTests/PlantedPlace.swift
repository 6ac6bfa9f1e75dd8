import LullCassettes
import LullCore
import LullTestSupport
import LullTesting

/// Where somebody would plant one, and each way in which it may be written there.
enum PlantedPlace: CaseIterable {
  case path, query, nestedURL, requestHeader, requestJSON, requestForm, basicInAnswer
  case responseHeader, cookie, escapedJSON, finalURL, message, type, headerName
  case markup, wrappedBase64, latin1, wideJSON
  case nestedBase64, encodedJSON, mixedHexadecimal, otherCase, base64OfHexadecimal, basicInURL,
    nestedLines
  case programString, programInJSON, quotedPrintable, partedHexadecimal, byteArray

  func entry(_ secret: PlantedSecret, _ random: inout SeededGenerator) -> HAREntry {
    let escaped = Self.percent(secret.text, &random)
    var request = HARRequest(method: "POST", url: "https://a.test/x")
    var response = HARResponse(status: 200)
    var failure: HARFailure?
    switch self {
    case .path: request.url += "/\(escaped)/y"
    case .query: request.url += "?a=\(escaped)&b=1"
    case .nestedURL:
      let inner = "https://b.test/?t=\(escaped)"
      request.url += "?next=\(Self.percent(inner, &random, all: true))"
    case .requestHeader: request.headers = [HARHeader("X-Thing", "v1 \(secret.text)")]
    case .requestJSON: request.body = HARBody(Self.json(secret.text, escapesAll: false))
    case .requestForm: request.body = HARBody(Array("a=\(escaped)&b=2".utf8))
    case .basicInAnswer:
      let pair = Base64.encode(Array("user:\(secret.text)".utf8))
      response.body = HARBody(Array("you sent ".utf8) + pair)
    case .responseHeader: response.headers = [HARHeader("X-Echo", secret.text)]
    case .cookie: response.headers = [HARHeader("Set-Cookie", "a=\(escaped); Path=/")]
    case .escapedJSON: response.body = HARBody(Self.json(secret.text, escapesAll: true))
    case .finalURL: response.finalURL = "https://c.test/\(escaped)"
    case .type:
      response.body = HARBody(Array("{}".utf8), type: "text/plain; title=\(secret.text)")
    case .headerName: response.headers = [HARHeader("X-\(secret.text)", "1")]
    case .markup:
      response.body = HARBody(Array("<p>\(Self.entities(secret.text, &random))</p>".utf8))
    case .wrappedBase64:
      response.body = HARBody(Self.wrapped(Base64.encode(Array("user:\(secret.text)".utf8))))
    case .latin1:
      let text = "say \(secret.text)"
      response.body = HARBody(
        (try? TextCoding.encode(text, charset: "iso-8859-1")) ?? Array(text.utf8))
    case .wideJSON:
      let text = String(decoding: Self.json(secret.text, escapesAll: false), as: UTF8.self)
      let isBig = random.chance(2)
      let body = (try? TextCoding.encode(text, charset: isBig ? "utf-16be" : "utf-16le")) ?? []
      let mark: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
      response.body = HARBody(random.chance(2) ? mark + body : body)
    case .nestedBase64:
      var text = Array("user:\(secret.text)".utf8)
      for _ in 0..<(2 + random.below(2)) {
        text = Base64.encode(
          text, alphabet: random.chance(2) ? .url : .standard, isPadded: random.chance(2))
      }
      response.body = HARBody(Array(#"{"said":""#.utf8) + text + Array("\"}".utf8))
    case .encodedJSON:
      let json = Self.json(secret.text, escapesAll: random.chance(2))
      request.headers = [
        HARHeader("X-State", Base64.encode(json, alphabet: .url, isPadded: false))
      ]
    case .mixedHexadecimal:
      let digits = Hexadecimal.text(Array("(\(secret.text))".utf8)).map {
        random.chance(2) ? $0.uppercased() : String($0)
      }
      response.headers = [HARHeader("X-Echo", digits.joined())]
    case .otherCase:
      let isUpper = random.chance(2)
      let letters: ClosedRange<UInt8> = isUpper ? 0x61...0x7A : 0x41...0x5A
      response.body = HARBody(secret.text.utf8.map { letters.contains($0) ? $0 ^ 0x20 : $0 })
    case .base64OfHexadecimal:
      let digits = Hexadecimal.text(Array(secret.text.utf8))
      request.body = HARBody(Array("a=".utf8) + Base64.encode(Array(digits.utf8)))
    case .nestedLines:
      let inner = Base64.encode(Array("{\"a\":\"user:\(secret.text)\"}".utf8))
      let lines = String(
        decoding: Self.wrapped(Base64.encode(Array("x ".utf8) + inner)), as: UTF8.self)
      // With its ends of lines as they are, or as JSON has them.
      response.body =
        random.chance(2) ? HARBody(Array(lines.utf8)) : HARBody(Self.json(lines, escapesAll: false))
    case .programString:
      response.body = HARBody(Array("key = '\(Self.program(secret.text, &random))'".utf8))
    case .programInJSON:
      response.body = HARBody(Self.json(Self.program(secret.text, &random), escapesAll: false))
    case .quotedPrintable:
      let text = "Subject: x\r\n\r\nit is " + Self.quotedPrintable(secret.text, &random)
      response.body =
        random.chance(2) ? HARBody(Array(text.utf8)) : HARBody(Self.json(text, escapesAll: false))
    case .partedHexadecimal:
      let parts = [":", " ", "-", ", ", "-0x", ", 0x", " 0X", ",\n\t0x", "\\x", "|"]
      let part = parts.randomElement(using: &random) ?? ":"
      let size = random.chance(4) ? 2 : 1
      var groups: [String] = []
      var group: [UInt8] = []
      for byte in secret.text.utf8 {
        group.append(byte)
        if group.count == size {
          groups.append(Self.hexadecimal(group, &random))
          group = []
        }
      }
      if !group.isEmpty { groups.append(Self.hexadecimal(group, &random)) }
      let start = part.hasSuffix("0x") || part.hasSuffix("0X") ? "0x" : ""
      let digits = start + groups.joined(separator: part)
      response.body =
        random.chance(2)
        ? HARBody(Array("bytes \(digits).".utf8)) : HARBody(Self.json(digits, escapesAll: false))
    case .byteArray:
      let comma = random.chance(2) ? "," : ", "
      let numbers = secret.text.utf8.map(String.init).joined(separator: comma)
      response.body = HARBody(Array(#"{"type":"Buffer","data":[\#(numbers)]}"#.utf8))
    case .basicInURL:
      let pair = Base64.encode(
        Base64.encode(Array("user:\(secret.text)".utf8)),
        alphabet: random.chance(2) ? .url : .standard)
      request.url += "?a=\(Self.percent(String(decoding: pair, as: UTF8.self), &random, all: true))"
    case .message: failure = HARFailure(kind: "network", message: "cannot reach \(secret.text)")
    }
    return HAREntry(
      started: 0, milliseconds: 1, request: request, response: response, failure: failure)
  }

  /// All that must be, and some of the rest.
  private static func percent(
    _ text: String, _ random: inout SeededGenerator, all: Bool = false
  ) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~".utf8)
    return text.utf8.map { byte in
      plain.contains(byte) && (all || !random.chance(5))
        ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text([byte])
    }.joined()
  }

  /// As a string in a program, with some of the characters as `\x73`.
  private static func program(_ text: String, _ random: inout SeededGenerator) -> String {
    text.utf8.map { byte in
      if byte < 0x80, byte != 0x5C, byte != 0x22, byte != 0x27, random.chance(2) {
        return String(UnicodeScalar(byte))
      }
      return "\\x" + hexadecimal([byte], &random)
    }.joined()
  }

  /// With some of the characters as `=73`, in lines that go on.
  private static func quotedPrintable(_ text: String, _ random: inout SeededGenerator) -> String {
    text.utf8.map { byte in
      let isPlain = byte < 0x80 && byte != 0x3D && random.chance(2)
      let character = isPlain ? String(UnicodeScalar(byte)) : "=" + hexadecimal([byte], &random)
      return character + (random.chance(8) ? random.chance(2) ? "=\n" : "=\r\n" : "")
    }.joined()
  }

  private static func hexadecimal(_ bytes: [UInt8], _ random: inout SeededGenerator) -> String {
    random.chance(2) ? Hexadecimal.text(bytes).uppercased() : Hexadecimal.text(bytes)
  }

  /// Some of the characters by their numbers, and what must be by its name.
  private static func entities(_ text: String, _ random: inout SeededGenerator) -> String {
    text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "&": "&amp;"
      case "\"": "&quot;"
      case _ where random.chance(4):
        random.chance(2) ? "&#\(scalar.value);" : "&#x\(String(scalar.value, radix: 16));"
      default: String(Character(scalar))
      }
    }.joined()
  }

  /// In lines of twenty.
  private static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 20) {
      lines += bytes[start..<min(start + 20, bytes.count)] + [13, 10]
    }
    return lines
  }

  private static func json(_ text: String, escapesAll: Bool) -> [UInt8] {
    guard escapesAll else {
      return (try? JSONValue.object([.init("a", .string(text))]).encode()) ?? []
    }
    let units = text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return Array(#"{"echo":"\#(units.joined())"}"#.utf8)
  }
}
