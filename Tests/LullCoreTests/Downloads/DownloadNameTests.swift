import Testing

@testable import LullCore

/// What files in folders are called.
@Suite(.timeLimit(.minutes(20)))
struct DownloadNameTests {
  static let rows: [(disposition: String, name: String?)] = [
    ("attachment; filename=a.pdf", "a.pdf"),
    ("attachment; filename=\"a b.pdf\"", "a b.pdf"),
    ("Attachment ; FileName = \"a.pdf\" ; x=y", "a.pdf"),
    ("inline;filename=a.pdf", "a.pdf"),
    ("attachment; filename=\"a\\\"b;c.pdf\"", "a\"b;c.pdf"),
    ("attachment; x=\"filename=b\"; filename=a.pdf", "a.pdf"),
    ("attachment; filename=a.pdf; filename=b.pdf", "a.pdf"),
    ("attachment; filename=a.pdf; filename*=UTF-8''%C3%A9.pdf", "é.pdf"),
    ("attachment; filename*=utf-8'en'%e2%82%ac%20rates; filename=a.pdf", "€ rates"),
    ("attachment; filename*=iso-8859-1''%A3.pdf; filename=a.pdf", "£.pdf"),
    ("attachment; filename*=utf-16''%A3.pdf; filename=a.pdf", "a.pdf"),
    ("attachment; filename*=UTF-8''%C3.pdf; filename=a.pdf", "a.pdf"),
    ("attachment; filename*=UTF-8''%zz.pdf; filename=a.pdf", "a.pdf"),
    ("attachment; filename*=a.pdf; filename=b.pdf", "b.pdf"),
    ("attachment; filename*=UTF-8''; filename=b.pdf", "b.pdf"),
    ("attachment; filename=\"../../etc/passwd\"", "passwd"),
    ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"),
    ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
    ("attachment; filename=\"/etc/\"", nil),
    ("attachment; filename=\"..\"", nil),
    ("attachment; filename=\".\"", nil),
    ("attachment; filename=\".bashrc\"", nil),
    ("attachment; filename=\"-rf\"", nil),
    ("attachment; filename=\"~root\"", nil),
    ("attachment; filename=\"  \"", nil),
    ("attachment; filename=\"\"", nil),
    ("attachment; filename=", nil),
    ("attachment; filename", nil),
    ("attachment", nil),
    ("", nil),
    ("attachment; filename*=UTF-8''a%0Ab", nil),
    ("attachment; filename*=UTF-8''a%00b", nil),
    ("attachment; filename*=UTF-8''a%1Bb", nil),
    ("attachment; filename*=UTF-8''a%E2%80%AEfdp.exe", nil),
    ("attachment; filename=\"a.part.lull\"", nil),
    ("attachment; filename=\"\(String(repeating: "a", count: 201))\"", nil),
    ("attachment; filename=\"unended", "unended"),
    ("attachment; filename=\"a\\", nil),
    ("attachment;;; filename=a", "a"),
  ]

  @Test(arguments: rows.indices)
  func `DWN-11 DWN-12 what a server may call it`(_ index: Int) {
    let row = Self.rows[index]
    let headers = Headers([("Content-Disposition", row.disposition)])
    let name = DownloadName.name(headers, url: "http://a/given")
    #expect(name == row.name ?? "given", "\(row.disposition)")
  }

  @Test func `DWN-11 bytes that are no UTF-8 are ISO-8859-1`() {
    var headers = Headers()
    headers.add("content-disposition", bytes: Array("x; filename=".utf8) + [0xE9])
    #expect(DownloadName.name(headers, url: "http://a/") == "é")
  }

  @Test(
    arguments: [
      ("http://a/b/c.zip?d=e/f#g/h", "c.zip"), ("http://a", "download"), ("http://a/", "download"),
      ("http://a/b/", "download"), ("http://a/%C3%A9", "é"), ("http://a/%E9", "download"),
      ("http://a/..%2Fb", "download"), ("http://a/.b", "download"), ("http://a/b%00", "download"),
      ("http://a/a%20b", "a b"), ("http://a/%", "%"), ("http://a/b\\c", "download"),
      ("", "download"),
      ("http://a?b/c/d/e", "download"),
    ])
  func `DWN-11 DWN-12 else the URL names it`(_ url: String, _ name: String) {
    #expect(DownloadName.name(Headers(), url: url) == name)
  }
}
