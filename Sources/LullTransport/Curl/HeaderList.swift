import CCurl
import LullCore

/// Request headers in curl's form.
enum HeaderList {
  /// Returns a new list that the caller frees, or nil if memory runs out.
  ///
  /// Content-Length and Transfer-Encoding are left out, because the framing follows the real body.
  /// curl would add the headers `Expect` and Content-Type to a request with a body. They are
  /// suppressed unless the request has them. If the request omits a default header, neither Lull
  /// nor curl adds that header. The exception is Host, which HTTP/1.1 requires. The default
  /// User-Agent and Accept-Encoding are added here: as options of curl they would cost twice as
  /// much.
  static func make(
    _ headers: RequestHeaders, withBody: Bool, withCookies: Bool = true, userAgent: String
  ) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    var isComplete = true
    func append(_ line: UnsafePointer<CChar>) {
      // curl copies the line.
      if let longer = curl_slist_append(list, line) { list = longer } else { isComplete = false }
    }
    var line: [CChar] = []
    headers.lines.forEachLine { name, value in
      guard !isFraming(name), withCookies || !name.elementsEqual("cookie".utf8) else { return }
      line.removeAll(keepingCapacity: true)
      for byte in name { line.append(CChar(bitPattern: byte)) }
      // `name: ` would remove curl's own header; `name;` is curl's syntax to send an empty one.
      if value.allSatisfy({ $0 == 32 || $0 == 9 }) {
        line.append(CChar(UInt8(ascii: ";")))
      } else {
        line.append(CChar(UInt8(ascii: ":")))
        line.append(32)
        for byte in value { line.append(CChar(bitPattern: byte)) }
      }
      line.append(0)
      append(line)
    }
    // `name:` removes curl's own header.
    for name in headers.omitted where name != "host" && !isFraming(name) { append("\(name):") }
    func isWanted(_ name: StaticString) -> Bool {
      !has(headers.lines, name) && (headers.omitted.isEmpty || !headers.omitted.contains("\(name)"))
    }
    if isWanted("user-agent") { append("user-agent: \(userAgent)") }
    if isWanted("accept-encoding") {
      // A part of a coded body cannot be decoded, so no coding is accepted with a Range header.
      append("accept-encoding: \(has(headers.lines, "range") ? "identity" : encodings)")
    }
    if withBody {
      if isWanted("expect") { append("expect:") }
      if isWanted("content-type") { append("content-type:") }
    }
    guard isComplete else {
      curl_slist_free_all(list)
      return nil
    }
    return list
  }

  /// The supported codings. libcurl itself is linked with the libraries that decode them.
  private static let encodings: String = {
    // Static data of the library.
    guard let features = curl_version_info(CURLVERSION_FIRST)?.pointee.features else {
      return "identity"
    }
    var text = ""
    func add(_ name: String, _ bit: Int32) {
      guard features & bit != 0 else { return }
      text += text.isEmpty ? name : ", " + name
    }
    add("gzip", CURL_VERSION_LIBZ)
    add("br", CURL_VERSION_BROTLI)
    add("zstd", CURL_VERSION_ZSTD)
    return text.isEmpty ? "identity" : text
  }()

  private static func has(_ headers: Headers, _ name: StaticString) -> Bool {
    headers.withFirstValue(name) { _ in true } ?? false
  }

  private static func isFraming(_ name: String) -> Bool {
    name == "content-length" || name == "transfer-encoding"
  }

  private static func isFraming(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.elementsEqual("content-length".utf8) || name.elementsEqual("transfer-encoding".utf8)
  }
}
