import LullSystem

/// What a file is called that is put into a folder: as the server says, else as the URL ends, and only
/// where that is a plain name. (DWN-11, DWN-12; RFC 6266, RFC 8187)
package enum DownloadName {
  /// What nothing else names.
  private static let fallback = "download"
  /// Room for what is appended while it is not complete; bytes.
  private static let longest = 200

  /// - Parameter url: as it was asked for: where a redirect leads does not name what is here.
  package static func name(_ headers: Headers, url: String) -> String {
    ContentDisposition.fileName(headers).flatMap { plain($0) } ?? name(ofURL: url)
  }

  package static func name(ofURL url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    // The first three are the scheme, nothing, and the host.
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
    var text = String(parts.last ?? "")
    let bytes = text.withUTF8 { ResourceURL.Escaping.decoded($0) }
    return String(validating: bytes, as: UTF8.self).flatMap { isPlain($0) ? $0 : nil } ?? fallback
  }

  /// The last part of a path, which is all that a server may say; nil if that is no plain name.
  package static func plain(_ text: String) -> String? {
    let last = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
    let name = String(last.trimmingBlanks)
    return isPlain(name) ? name : nil
  }

  /// Nothing that leads elsewhere, hides, is taken for an option or confuses who reads it.
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
