import LullCore
import LullHost
import LullREPL
import LullSystem

/// The file that an item names instead of a value.
enum ItemFile {
  /// Its path; fails if it cannot be read.
  static func path(of item: RequestItem) throws(RequestItem.Problem) -> String {
    let path = HomeFolder.expanded(item.value)
    if let reason = ReadableFile.problem(Array(path.utf8)) { throw unreadable(item, reason) }
    return path
  }

  static func bytes(of item: RequestItem) throws(RequestItem.Problem) -> [UInt8] {
    do throws(SourceFile.Unreadable) {
      return try SourceFile.read(
        Array(HomeFolder.expanded(item.value).utf8), limit: StreamedBody.largestInMemory)
    } catch {
      throw unreadable(item, error.reason)
    }
  }

  /// The value of an item: what is typed, or the content of its file where only text can stand.
  static func text(of item: RequestItem) throws(RequestItem.Problem) -> String {
    guard item.isFile else { return item.value }
    guard let text = ByteString(try bytes(of: item)).text else {
      throw RequestItem.Problem(
        message: "'\(item.word)': '\(item.value)' is not text in UTF-8; @\(item.value) sends it as "
          + "it is")
    }
    return text
  }

  /// The same without the line breaks at its end.
  static func line(of item: RequestItem) throws(RequestItem.Problem) -> String {
    let text = try text(of: item)
    guard item.isFile else { return text }
    var scalars = text.unicodeScalars[...]
    while scalars.last == "\n" { scalars.removeLast() }
    return String(scalars)
  }

  private static func unreadable(_ item: RequestItem, _ reason: String) -> RequestItem.Problem {
    RequestItem.Problem(message: "'\(item.word)': cannot read '\(item.value)': \(reason)")
  }
}
