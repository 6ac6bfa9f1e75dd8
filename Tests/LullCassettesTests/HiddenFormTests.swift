import LullCassettes
import LullCore
import Testing

/// Ways in which somebody would want a recording to tell what is to be hidden.
@Suite(.timeLimit(.minutes(20))) struct HiddenFormTests {
  private let token = "9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"

  private func recorded(_ body: [UInt8], _ headers: [HARHeader] = []) -> [HAREntry] {
    var redaction = Redaction()
    return redaction.redacted([
      HAREntry(
        started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: "https://a.test/"),
        response: HARResponse(status: 200, headers: headers, body: HARBody(body))),
      HAREntry(
        started: 0, milliseconds: 0,
        request: HARRequest(method: "GET", url: "https://a.test/u/\(token)"),
        response: HARResponse(status: 204)),
    ])
  }

  @Test(arguments: [
    #"{"access_token":"TOKEN","x":"#,
    #"<script>window.state = {"csrfToken": "TOKEN"};</script>"#,
    "<r><SessionToken>TOKEN</SessionToken></r>", "<a:Password x='1'>TOKEN</a:Password>",
    "<INPUT type='hidden' name='csrf_token' value='TOKEN'>",
    #"{"download_url":"https://raw.a.test/f?token=TOKEN"}"#,
    #"{"u":"https://s3.a.test/f?X-Amz-Signature=TOKEN\u0026x=1"}"#,
    "<a href='https://a.test/f?token=TOKEN&amp;x=1'>file</a>",
    "--b\r\nContent-Type: application/json\r\n\r\n{\"access_token\":\"TOKEN\"}\r\n--b--\r\n",
    #"{"access\u005ftoken":"TOKEN"}"#,
  ])
  func `CAS-28 tokens are found in what is no whole text of JSON, in scripts, XML and addresses`(
    body: String
  ) {
    let entries = recorded(Array(body.replacing("TOKEN", with: token).utf8))
    let text = String(decoding: entries[0].response?.body?.bytes ?? [], as: UTF8.self)
    #expect(!text.contains(token), "\(text)")
    #expect(text.contains("lull-token-1"), "\(text)")
    #expect(entries[1].request.url == "https://a.test/u/lull-token-1")
  }

  @Test(arguments: ["utf-16le", "utf-16be", "iso-8859-1"])
  func `CAS-28 tokens are found in texts of other charsets, which stay in these`(charset: String)
    throws
  {
    let text = #"{"access_token":"\#(token)","name":"Zoë"}"#
    let entries = recorded(try TextCoding.encode(text, charset: charset))
    let body = try #require(entries[0].response?.body?.bytes)
    let shown = try body.withUnsafeBufferPointer {
      try TextCoding.decode($0, charset: charset)
    }
    #expect(shown == #"{"access_token":"lull-token-1","name":"Zoë"}"#)
    #expect(entries[1].request.url == "https://a.test/u/lull-token-1")
  }

  @Test func `CAS-20 a header that is no UTF-8 keeps its bytes beside what is hidden`() {
    var redaction = Redaction()
    redaction.hide(Array("some secret".utf8), as: "‹secret KEY›")
    let header = HARHeader("X-Echo", [0xE9, 0x20] + Array("some secret".utf8))
    let entry = HAREntry(
      started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: "https://a.test/"),
      response: HARResponse(
        status: 200,
        headers: [header, HARHeader("X-Auth-Token", Array(token.utf8) + [0xE9])]))
    let headers = redaction.redacted([entry])[0].response?.headers
    #expect(headers?.first?.value == [0xE9, 0x20] + Array("‹secret KEY›".utf8))
    #expect(headers?.last?.value == Array("lull-token-1".utf8))
  }

  @Test func `CAS-68 a number that is called like a token is told of`() {
    let entries = recorded(Array(#"{"access_token":123456789012,"password_attempts":3}"#.utf8))
    #expect(
      Leftover.all(in: entries).map(\.description) == ["exchange 1, response body: 12…"])
  }
}
