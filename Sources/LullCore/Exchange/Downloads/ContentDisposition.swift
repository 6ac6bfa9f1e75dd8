import LullSystem

/// Parses the file name in a `Content-Disposition` header. (RFC 6266, section 4.3)
package enum ContentDisposition {
  /// Returns the value of `filename*` if it can be decoded, otherwise the value of `filename`. If a
  /// parameter is repeated, the first one is used. Text that is not valid UTF-8 is read as
  /// ISO-8859-1.
  package static func fileName(_ headers: Headers) -> String? {
    guard let value = headers.byteValues(of: Array("content-disposition".utf8)).first else {
      return nil
    }
    var reader = Reader(bytes: value)
    var names: [String: [UInt8]] = [:]
    reader.skipValue()
    while let (name, value) = reader.parameter() {
      if names[name] == nil { names[name] = value }
    }
    if let extended = names["filename*"].flatMap({ decoded($0) }), !extended.isEmpty {
      return extended
    }
    return names["filename"].map { text($0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Decodes a value of the form `charset'language'text`, whose text is percent-encoded. (RFC 8187,
  /// section 3.2)
  private static func decoded(_ value: [UInt8]) -> String? {
    let parts = value.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = Array(parts[2]).withUnsafeBufferPointer { try? PercentEncoding.decode($0) }
    guard let bytes else { return nil }
    switch String(decoding: parts[0], as: UTF8.self).lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return latin(bytes)
    default: return nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? latin(bytes)
  }

  private static func latin(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  private struct Reader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Skips to the next semicolon outside quoted text.
    mutating func skipValue() {
      while index < bytes.count, bytes[index] != UInt8(ascii: ";") {
        if bytes[index] == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
      }
    }

    /// Reads the next parameter, with its name in lower case. Returns nil at the end.
    mutating func parameter() -> (name: String, value: [UInt8])? {
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: ";") { index += 1 }
        let name = trimmed(until: [UInt8(ascii: "="), UInt8(ascii: ";")])
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
        index += 1
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        var value: [UInt8]
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
          value = quoted()
          skipValue()
        } else {
          value = trimmed(until: [UInt8(ascii: ";")])
        }
        return (String(decoding: name, as: UTF8.self).lowercased(), value)
      }
      return nil
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    private mutating func trimmed(until ends: [UInt8]) -> [UInt8] {
      var text: [UInt8] = []
      while index < bytes.count, !ends.contains(bytes[index]) {
        text.append(bytes[index])
        index += 1
      }
      while let last = text.last, isBlank(last) { text.removeLast() }
      return Array(text.drop(while: isBlank))
    }

    /// Reads the quoted string that begins at the current position. A backslash escapes the next
    /// character.
    private mutating func quoted() -> [UInt8] {
      var text: [UInt8] = []
      index += 1
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
        text.append(bytes[index])
        index += 1
      }
      index += 1
      return text
    }
  }
}

/// Chooses the name of a file in a download folder: the name that the server sends, or else the
/// last component of the URL. A name is used only if it is plain. (DWN-11, DWN-12; RFC 6266, RFC
/// 8187)
package enum DownloadName {
  /// The file name if neither the server nor the URL provides a usable one.
  private static let fallback = "download"
  /// The longest file name, in bytes. The rest is room for the suffix of an incomplete file.
  private static let longest = 200

  /// Returns the file name for a response.
  ///
  /// - Parameter url: The URL of the request. The target of a redirect is not used for the file
  ///   name.
  package static func name(_ headers: Headers, url: String) -> String {
    ContentDisposition.fileName(headers).flatMap { plain($0) } ?? name(ofURL: url)
  }

  package static func name(ofURL url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    // The first three parts are the scheme, an empty part and the host.
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
    var text = String(parts.last ?? "")
    let bytes = text.withUTF8 { ResourceURL.Escaping.decoded($0) }
    return String(validating: bytes, as: UTF8.self).flatMap { isPlain($0) ? $0 : nil } ?? fallback
  }

  /// The last component of a path that the server has sent; nil if this component isn't a plain
  /// name.
  package static func plain(_ text: String) -> String? {
    let last = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
    let name = String(last.trimmingBlanks)
    return isPlain(name) ? name : nil
  }

  /// Whether a file name is plain: it doesn't lead to another folder, isn't hidden, doesn't look
  /// like an option, and has no confusing characters.
  private static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-"),
      first != UInt8(ascii: "~"), name.utf8.count <= longest,
      !name.utf8.hasSuffix(PartFile.noteEnding.utf8)
    else { return false }
    return name.unicodeScalars.allSatisfy {
      $0 != "/" && $0 != "\\" && $0 != "\n" && $0 != "\t" && $0 != "\u{2028}" && $0 != "\u{2029}"
        && !ControlCharacters.contains($0)
    }
  }
}

extension String.UTF8View {
  fileprivate func hasSuffix(_ ending: String.UTF8View) -> Bool {
    suffix(ending.count).elementsEqual(ending)
  }
}
