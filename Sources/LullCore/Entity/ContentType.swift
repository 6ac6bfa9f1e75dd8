/// A Content-Type value: `type/subtype; name=value; …`. (ENT-03 to ENT-06)
public struct ContentType: Sendable, Hashable {
  /// The value as written, with parameters.
  public let text: String

  /// Makes a content type from any text. If the text has no charset parameter, `charset` is nil.
  public init(_ text: String) {
    self.text = text
  }

  /// Type and subtype as written, without parameters. (TRF-27)
  public var mediaType: String {
    var text = text
    return text.withUTF8 { String(escaping: ContentType.mediaType(of: $0)) }
  }

  /// The value of the first charset parameter, without quotes; nil without a charset.
  public var charset: String? {
    var text = text
    return text.withUTF8 { bytes in
      ContentType.charset(in: bytes).map { String(escaping: $0) }
    }
  }

  /// The charset parameter of a Content-Type value given as a string.
  package static func charset(of contentType: String) -> String? {
    ContentType(contentType).charset
  }

  /// The media type in the bytes of a Content-Type value: the text before the first semicolon,
  /// trimmed.
  static func mediaType(
    of bytes: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    trimmed(bytes.prefix { $0 != UInt8(ascii: ";") })
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    var bytes = bytes
    while let first = bytes.first, first == 32 || first == 9 { bytes = bytes.dropFirst() }
    while let last = bytes.last, last == 32 || last == 9 { bytes = bytes.dropLast() }
    return bytes
  }

  static func charset(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var charset: [UInt8]?
    forEachParameter(of: bytes) { name, value in
      guard name.lazy.map({ $0 | 0x20 }).elementsEqual("charset".utf8) else { return true }
      charset = unquoted(value)
      return false
    }
    return charset?.isEmpty ?? true ? nil : charset
  }

  /// The parameters as written, with their values unquoted. A parameter without `=` is left out.
  private var parameters: [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    var text = text
    text.withUTF8 { bytes in
      ContentType.forEachParameter(of: bytes) { name, value in
        parameters.append(
          (String(escaping: name), String(escaping: ContentType.unquoted(value))))
        return true
      }
    }
    return parameters
  }

  /// Calls `body` with each parameter until `body` returns false. The value passed to `body` still
  /// has its quotes.
  private static func forEachParameter(
    of bytes: UnsafeBufferPointer<UInt8>,
    _ body: (_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>)
      -> Bool
  ) {
    var index = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
    while index < bytes.count {
      let start = index + 1
      // A semicolon inside quotes does not end the parameter. Neither does an escaped quotation
      // mark.
      var isQuoted = false
      index = start
      while index < bytes.count, isQuoted || bytes[index] != UInt8(ascii: ";") {
        if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if isQuoted, bytes[index] == UInt8(ascii: "\\") { index += 1 }
        index += 1
      }
      index = min(index, bytes.count)
      let parameter = bytes[start..<index]
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
      guard body(trimmed(parameter[..<equals]), trimmed(parameter[(equals + 1)...])) else { return }
    }
  }

  /// Whether the content is JSON: `application/json`, or a type that ends in `+json`.
  package var isJSON: Bool {
    if text == "application/json" { return true }
    let type = mediaType.lowercased()
    return type == "application/json" || type.hasSuffix("+json")
  }

  /// The content type in a form that can be compared. Type and parameter names are in lower case,
  /// and the parameters are sorted by name. The value of `charset` is in lower case too, because it
  /// ignores case. The values of other parameters are unchanged, but unquoted. (RFC 9110, sections
  /// 8.3.1 and 8.3.2)
  package var canonical: String {
    if text == "application/json" { return text }
    let parameters = parameters.map { name, value in
      let name = name.lowercased()
      return (name: name, value: name == "charset" ? value.lowercased() : value)
    }
    // Equal names keep their order, which may have a meaning.
    let sorted = parameters.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    return sorted.reduce(into: mediaType.lowercased()) { text, parameter in
      let value = parameter.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text += ";\(parameter.name)=\"\(value)\""
    }
  }

  private static func unquoted(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
    guard value.first == UInt8(ascii: "\"") else { return Array(value) }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in value.dropFirst() {
      if !isEscaped, byte == UInt8(ascii: "\"") { break }
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return result
  }
}

/// A pattern for the content type of a response. It must match the whole type. `*` matches one or
/// more characters other than `/` and `+`. Letter case and parameters are ignored. (TRF-25 to
/// TRF-29)
package struct ContentTypePattern: Sendable, Hashable {
  /// The pattern in lower case, without parameters.
  private let pattern: [UInt8]

  package init(_ pattern: String) {
    var pattern = pattern
    self.pattern = pattern.withUTF8 { bytes in
      ContentType.mediaType(of: bytes).map { ContentTypePattern.lowercased($0) }
    }
  }

  package func matches(_ contentType: String) -> Bool {
    var contentType = contentType
    return contentType.withUTF8 { matches($0) }
  }

  package func matches(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    let type = UnsafeBufferPointer(rebasing: ContentType.mediaType(of: contentType))
    return pattern.withUnsafeBufferPointer { pattern in
      var position = 0
      var index = 0
      // The last `*` and the end of its match. An earlier `*` need not be tried again: either the
      // later `*` can match as much, or a separator between the two fixes the match of the earlier
      // one.
      var star: (position: Int, end: Int)?
      while true {
        if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
          if index < type.count, ContentTypePattern.isWild(type[index]) {
            index += 1
            star = (position, index)
            position += 1
            continue
          }
        } else if position == pattern.count {
          if index == type.count { return true }
        } else if index < type.count,
          pattern[position] == ContentTypePattern.lowercased(type[index])
        {
          position += 1
          index += 1
          continue
        }
        guard let last = star, last.end < type.count, ContentTypePattern.isWild(type[last.end])
        else { return false }
        star = (last.position, last.end + 1)
        position = last.position + 1
        index = last.end + 1
      }
    }
  }

  private static func isWild(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "/") && byte != UInt8(ascii: "+")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 65 && byte <= 90 ? byte | 0x20 : byte
  }
}

// MARK: - Standard set

extension ContentTypePattern {
  private static let json = [ContentTypePattern("*/json"), ContentTypePattern("*/*+json")]
  private static let text = ContentTypePattern("text/*")
  private static let eventStream = ContentTypePattern("text/event-stream")
  private static let xml = ["*/xml", "*/*+xml"].map { ContentTypePattern($0) }
  /// Types of bodies with one JSON value per line.
  package static let lineTypes = [
    "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
    "application/jsonlines", "application/x-jsonlines", "text/x-ndjson", "text/ndjson",
    "text/jsonl", "text/x-jsonl",
  ].map { ContentTypePattern($0) }
  /// Types of bodies with consecutive JSON values. (RFC 7464)
  package static let valueTypes = [
    "application/stream+json", "application/json-seq", "*/*+json-seq",
  ].map { ContentTypePattern($0) }
  private static let csv = ContentTypePattern("text/csv")
  private static let otherText = [
    "application/javascript", "application/x-javascript", "application/ecmascript",
    "application/yaml", "application/x-yaml", "*/*+yaml", "application/x-www-form-urlencoded",
  ].map { ContentTypePattern($0) }

  /// Whether the standard JSON parser accepts this content type: `*/json` and `*/*+json`. (TRF-32)
  package static func isJSON(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    isApplicationJSON(contentType) || json.contains { $0.matches(contentType) }
  }

  /// Whether the standard text parser accepts this content type: `text/*` except JSON. (TRF-32,
  /// TRF-34)
  package static func isText(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    !isApplicationJSON(contentType) && text.matches(contentType)
      && !json.contains { $0.matches(contentType) }
      && !lineTypes.contains { $0.matches(contentType) } && jsonForm(contentType) != .rows
  }

  /// Whether the content type is text although it is not `text/*`: XML, JavaScript, YAML, forms.
  /// (TXT-11)
  package static func isTextBesides(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    !isApplicationJSON(contentType) && !text.matches(contentType)
      && (isXML(contentType) || otherText.contains { $0.matches(contentType) })
  }

  /// Whether the content type is `*/xml` or `*/*+xml`. An XML body may declare its own charset.
  package static func isXML(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    xml.contains { $0.matches(contentType) }
  }

  /// Whether bodies of this content type have several JSON values, one per line or consecutive.
  /// (JSN-20)
  package static func isJSONLines(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    let form = jsonForm(contentType)
    return form == .lines || form == .values
  }

  /// How JSON values are arranged in a body with this content type.
  package static func jsonForm(_ contentType: UnsafeBufferPointer<UInt8>) -> JSONForm {
    if isApplicationJSON(contentType) { return .whole }
    if lineTypes.contains(where: { $0.matches(contentType) }) { return .lines }
    if valueTypes.contains(where: { $0.matches(contentType) }) { return .values }
    // `ResponseType.csv` sets this content type.
    let isRows = csv.matches(contentType) && contentType.suffix(7).elementsEqual("as=rows".utf8)
    return isRows ? .rows : .whole
  }

  /// Whether bodies of this content type are streams of events, often without end.
  package static func isEventStream(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    // Called for every response. In most cases, the first letter decides.
    guard let first = contentType.first, first | 0x20 == UInt8(ascii: "t") || first <= 0x20 else {
      return false
    }
    return eventStream.matches(contentType)
  }

  /// Whether the content type is `application/json` in exactly this spelling, with or without
  /// parameters. This is the usual case, and two comparisons detect it.
  private static func isApplicationJSON(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    guard contentType.count >= 16,
      contentType.count == 16 || contentType[16] == UInt8(ascii: ";")
    else { return false }
    // There are at least sixteen bytes, as checked above. The loads need no alignment.
    let bytes = UnsafeRawBufferPointer(contentType)
    let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return UInt64(littleEndian: first) == 0x7461_6369_6C70_7061  // "applicat"
      && UInt64(littleEndian: second) == 0x6E6F_736A_2F6E_6F69  // "ion/json"
  }
}

/// The content types of common file extensions.
package enum FileTypes {
  /// The content type of files with an unknown extension.
  static let unknown = "application/octet-stream"

  /// The content type for the extension of a file name, in any letter case; `unknown` if the
  /// extension is missing or not known.
  static func type(ofName name: some Sequence<UInt8>) -> String {
    let bytes = Array(name)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    let ending = String(decoding: bytes[(dot + 1)...], as: UTF8.self).lowercased()
    return types[ending] ?? unknown
  }

  /// The content type for a file extension in lower case; nil if the extension is not known.
  package static func known(_ ending: String) -> String? { types[ending] }

  private static let types = [
    "3g2": "audio/3gpp2", "3gp": "audio/3gpp", "3gpp": "audio/3gpp", "3gpp2": "audio/3gpp2",
    "7z": "application/x-7z-compressed", "a": "application/octet-stream", "aac": "audio/aac",
    "ai": "application/postscript", "aif": "audio/x-aiff", "aifc": "audio/x-aiff",
    "aiff": "audio/x-aiff", "au": "audio/basic", "avi": "video/x-msvideo", "avif": "image/avif",
    "bat": "text/plain", "bin": "application/octet-stream", "bmp": "image/bmp",
    "bz2": "application/x-bzip2", "c": "text/plain", "cdf": "application/x-netcdf",
    "cpio": "application/x-cpio", "csh": "application/x-csh", "css": "text/css", "csv": "text/csv",
    "dll": "application/octet-stream", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "dot": "application/msword", "dvi": "application/x-dvi", "eml": "message/rfc822",
    "eps": "application/postscript", "epub": "application/epub+zip",
    "exe": "application/octet-stream", "flac": "audio/flac", "gif": "image/gif",
    "gtar": "application/x-gtar", "gz": "application/gzip", "h": "text/plain",
    "hdf": "application/x-hdf", "heic": "image/heic", "heif": "image/heif", "htm": "text/html",
    "html": "text/html", "ico": "image/x-icon", "ics": "text/calendar", "jpe": "image/jpeg",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "ksh": "text/plain", "latex": "application/x-latex",
    "log": "text/plain", "m1v": "video/mpeg", "m3u": "application/vnd.apple.mpegurl",
    "m3u8": "application/vnd.apple.mpegurl", "m4a": "audio/mp4", "md": "text/markdown",
    "mht": "message/rfc822", "mhtml": "message/rfc822", "mid": "audio/midi", "midi": "audio/midi",
    "mif": "application/x-mif", "mjs": "text/javascript", "mov": "video/quicktime",
    "movie": "video/x-sgi-movie", "mp2": "audio/mpeg", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "mpa": "video/mpeg", "mpe": "video/mpeg", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "n3": "text/n3", "nc": "application/x-netcdf", "ndjson": "application/x-ndjson",
    "nq": "application/n-quads", "nt": "application/n-triples", "o": "application/octet-stream",
    "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "opus": "audio/opus",
    "p12": "application/x-pkcs12", "p7c": "application/pkcs7-mime",
    "pbm": "image/x-portable-bitmap", "pdf": "application/pdf", "pfx": "application/x-pkcs12",
    "pgm": "image/x-portable-graymap", "pict": "image/pict", "pl": "text/plain",
    "png": "image/png", "pnm": "image/x-portable-anymap", "pot": "application/vnd.ms-powerpoint",
    "ppa": "application/vnd.ms-powerpoint", "ppm": "image/x-portable-pixmap",
    "pps": "application/vnd.ms-powerpoint", "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "ps": "application/postscript", "py": "text/x-python", "pyc": "application/x-python-code",
    "qt": "video/quicktime", "ra": "audio/x-pn-realaudio", "ram": "application/x-pn-realaudio",
    "ras": "image/x-cmu-raster", "rgb": "image/x-rgb", "rtf": "application/rtf",
    "sgm": "text/x-sgml", "sgml": "text/x-sgml", "sh": "application/x-sh",
    "shar": "application/x-shar", "snd": "audio/basic", "so": "application/octet-stream",
    "srt": "text/plain", "svg": "image/svg+xml", "swf": "application/x-shockwave-flash",
    "tar": "application/x-tar", "tcl": "application/x-tcl", "tex": "application/x-tex",
    "texi": "application/x-texinfo", "texinfo": "application/x-texinfo", "tif": "image/tiff",
    "tiff": "image/tiff", "toml": "application/toml", "trig": "application/trig",
    "tsv": "text/tab-separated-values", "txt": "text/plain", "vcf": "text/x-vcard",
    "vtt": "text/vtt", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "wsdl": "application/xml", "xbm": "image/x-xbitmap",
    "xlb": "application/vnd.ms-excel", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml", "xpm": "image/x-xpixmap", "xsl": "application/xml",
    "xwd": "image/x-xwindowdump", "xz": "application/x-xz", "yaml": "application/yaml",
    "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
