import CCurl
import LullCore
import LullSystem

/// Cookies that some exchanges share, stored and matched by curl's own engine.
///
/// The cookies are in a curl share object, which every handle that uses the jar retains. Home
/// thread only.
final class CurlJar {
  let share: CurlShare
  private let file: CookieFile?
  private let keeper: CookieJar.Keeper?
  /// A handle without an exchange, which is only used to read and write cookies.
  private let handle: UnsafeMutableRawPointer
  /// The file's last known content.
  private var written: [ByteString] = []

  /// Throws if the jar has a file that cannot be read.
  init(_ jar: CookieJar) throws(TransportError) {
    guard let handle = curl_easy_init() else {
      throw TransportError(.network, "not enough memory for cookies")
    }
    self.handle = handle
    share = CurlShare(withCookies: true)
    file = jar.file.map { CookieFile(path: $0) }
    keeper = jar.keeper
    if let share = share.handle { ccurl_easy_set_pointer(handle, CURLOPT_SHARE, share) }
    ccurl_easy_set_string(handle, CURLOPT_COOKIEFILE, "")
    for line in try file?.read() ?? keeper?.lines ?? [] { take(line) }
    written = lines
  }

  deinit {
    curl_easy_cleanup(handle)
  }

  /// Writes the cookies to the file of the jar. Returns the error, or nil if it succeeded.
  func save() -> TransportError? {
    guard file != nil || keeper != nil else { return nil }
    let lines = lines
    guard lines != written else { return nil }
    let known = written
    written = lines
    guard let file else { return keeper?.save(lines).map { TransportError.final(.network, $0) } }
    do throws(TransportError) {
      let mine = Set(lines)
      for line in try file.merge(lines, since: known) where !mine.contains(line) { take(line) }
      written = self.lines
      return nil
    } catch {
      return error
    }
  }

  /// Adds a cookie. curl copies the line, and ignores a line that is not a cookie.
  private func take(_ line: ByteString) {
    ccurl_easy_set_string(handle, CURLOPT_COOKIELIST, FileName.cString(line.bytes))
  }

  /// All cookies in the Netscape format.
  private var lines: [ByteString] {
    var list: UnsafeMutableRawPointer?
    guard ccurl_easy_get_pointer(handle, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
    let first = list?.assumingMemoryBound(to: curl_slist.self)
    defer { curl_slist_free_all(first) }
    var lines: [ByteString] = []
    var next = first
    while let item = next {
      // Lull owns the list until it is freed above.
      if let text = item.pointee.data { lines.append(ByteString(cString: text)) }
      next = item.pointee.next
    }
    return lines
  }
}
