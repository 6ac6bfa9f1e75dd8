import LullCore
import LullREPL

/// The content type of a file by its name, as Python's `mimetypes` guesses it, which HTTPie asks: what
/// `/etc/mime.types` says (Debian's package media-types), else a table of the usual ones.
enum GuessedType {
  private static let table: [UInt8] = Array("/etc/mime.types".utf8)

  /// nil if the ending says nothing, or that the content is packed.
  static func of(_ path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    return of(name: name, by: (try? SourceFile.read(table)) ?? [])
  }

  /// - Parameter table: lines of a type and the endings that stand for it; a later one counts.
  static func of(name: [UInt8], by table: [UInt8]) -> String? {
    guard var (rest, ending) = split(name) else { return nil }
    // Short for two.
    if let inner = ["tgz", "taz", "tz", "tbz2", "txz"].contains(ending.lowercased())
      ? "tar" : ending.lowercased() == "svgz" ? "svg" : nil
    {
      ending = inner
    } else if ["gz", "Z", "bz2", "xz", "br"].contains(ending) {
      guard let inner = split(rest) else { return nil }
      (rest, ending) = inner
    }
    ending = ending.lowercased()
    return type(of: ending, in: table) ?? FileTypes.known(ending)
  }

  /// A leading dot begins no ending.
  private static func split(_ name: [UInt8]) -> (rest: [UInt8], ending: String)? {
    let dots = name.prefix { $0 == UInt8(ascii: ".") }.count
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot >= dots else { return nil }
    return (Array(name[..<dot]), String(decoding: name[(dot + 1)...], as: UTF8.self))
  }

  private static func type(of ending: String, in table: [UInt8]) -> String? {
    let wanted = Array(ending.utf8)
    var found: String?
    for line in table.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }
        .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let type = words.first, words.dropFirst().contains(where: { $0.elementsEqual(wanted) })
      else { continue }
      found = String(decoding: type, as: UTF8.self)
    }
    return found
  }
}
