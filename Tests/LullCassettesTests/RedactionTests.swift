import LullCassettes
import LullCore
import LullTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct RedactionTests {
  @Test
  func
    `CAS-20 CAS-160 of secrets in thirty places of ten thousand random recordings none is in any file`()
    throws
  {
    var random = SeededGenerator(seed: 21)
    var planted = 0
    for number in 0..<10_000 {
      let secret = PlantedSecret(&random)
      var redaction = Redaction()
      // As the transport tells what it has put in the place of a mask.
      redaction.hide(Array(secret.text.utf8), as: "‹secret KEY›")
      let place = PlantedPlace.allCases.randomElement(using: &random) ?? .path
      let other = PlantedPlace.allCases.randomElement(using: &random) ?? .path
      let entries = [place.entry(secret, &random), other.entry(secret, &random)]
      var file = HARFile(creator: RedactionTests.creator, entries: entries)
      if number < 1000, secret.isFound(in: file) { planted += 1 }
      file.entries = redaction.redacted(entries)
      // With what the file shows besides, for people who read it.
      #expect(!secret.isFound(inFile: file.encoded()), "\(secret.text) at \(place) or \(other)")
    }
    // The test sees what it looks for.
    #expect(planted == 1000)
  }

  @Test
  func
    `CAS-21 a token that was given out has one stand-in, and a request with it is the recorded one`()
    throws
  {
    let token = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"
    var redaction = Redaction()
    let entries = redaction.redacted([
      HAREntry(
        started: 0, milliseconds: 0,
        request: HARRequest(method: "POST", url: "https://a.test/token"),
        response: HARResponse(
          status: 200, headers: [HARHeader("Set-Cookie", "sid=\(token)x; Path=/; HttpOnly")],
          body: HARBody(Array(#"{"access_token":"\#(token)","expires_in":60}"#.utf8)))),
      HAREntry(
        started: 0, milliseconds: 0, request: RedactionTests.call(token),
        response: HARResponse(status: 204)),
    ])
    let answer = try #require(entries[0].response)
    let text = String(decoding: answer.body?.bytes ?? [], as: UTF8.self)
    let value = try #require(answer.headers.first?.value)
    #expect(String(decoding: value, as: UTF8.self) == "sid=lull-token-1; Path=/; HttpOnly")
    #expect(text == #"{"access_token":"lull-token-2","expires_in":60}"#)
    #expect(entries[1].request.url == "https://a.test/files?cursor=lull-token-2")
    var cassette = Cassette(entries, comparing: ["X-Session"])
    var replaying = Redaction()
    let asked = replaying.redacted(RedactionTests.call("lull-token-2"))
    #expect(throws: Never.self) { try cassette.answer(to: asked) }
  }

  @Test
  func `CAS-22 what is called like a credential is masked in requests, and matches whatever it is`()
    throws
  {
    func request(_ key: String) -> HARRequest {
      HARRequest(
        method: "POST", url: "https://me:\(key)@a.test/x?api_key=\(key)&page=1",
        headers: [HARHeader("Authorization", "Bearer \(key)"), HARHeader("Accept", "text/plain")],
        body: HARBody(Array(#"{"password":"\#(key)","name":"x"}"#.utf8)))
    }
    var redaction = Redaction()
    let redacted = redaction.redacted(request("hunter2"))
    #expect(redacted.url == "https://a.test/x?api_key=***&page=1")
    #expect(redacted.headers.first == HARHeader("Authorization", "***"))
    let body = String(decoding: redacted.body?.bytes ?? [], as: UTF8.self)
    #expect(body == #"{"password":"***","name":"x"}"#)
    var other = Redaction()
    #expect(other.redacted(request("another")) == redacted)
  }

  @Test func `CAS-23 of an answer stays what is only called as credentials are too`() {
    let text =
      #"{"key":"PROJ-17","token":"PAGE_2","code":"not_found","#
      + #""sha":"a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"}"#
    let entry = HAREntry(
      started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: "https://a.test/"),
      response: HARResponse(status: 200, body: HARBody(Array(text.utf8))))
    var redaction = Redaction()
    #expect(redaction.redacted([entry]) == [entry])
    #expect(Leftover.all(in: [entry]).isEmpty)
  }

  @Test func `CAS-24 bytes that are no text stay as they are`() {
    let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let entry = HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(
        method: "PUT", url: "https://a.test/", headers: [HARHeader("X-Name", [0xE9, 0x20])],
        body: HARBody(bytes)), response: HARResponse(status: 200, body: HARBody(bytes)))
    var redaction = Redaction()
    redaction.hide(Array("some secret".utf8), as: "‹secret KEY›")
    #expect(redaction.redacted([entry]) == [entry])
  }

  @Test
  func `CAS-25 words that look random and have no name are told of, at their place, and not whole`()
  {
    let word = "xoxbT7kQ29fLmZ4pWv81RaYc"
    let entry = HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(method: "GET", url: "https://a.test/\(word)"),
      response: HARResponse(
        status: 200, headers: [HARHeader("X-Request", "2f1e0d3c-0b4a-4c39-8f10-9f5b6d1a7e42")],
        body: HARBody(Array(#"{"a":"\#(word)","node_id":"MDEwOlJlcG9zaXRvcnkxMjk2MjY5"}"#.utf8))))
    #expect(
      Leftover.all(in: [entry]).map(\.description) == ["exchange 1, request URL: xoxbT7…"])
  }

  @Test(arguments: [
    "xoxbT7kQ29fLmZ4pWv81RaYc", "k3j9x7q2m5v8w1z4t6r0p", "JBSWY3DPEHPK3PXPQ2RT",
    "gB3-hE5_kG7.hI9~jK2-lM4_nO6",
  ])
  func `CAS-25 tokens of any alphabet but that of numbers are told of`(word: String) {
    let entry = HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(method: "GET", url: "https://a.test/?x=\(word)"))
    #expect(Leftover.all(in: [entry]).count == 1)
  }

  @Test(arguments: [
    "getUserByIdFromDatabase", "ImmutableReferencesList2", "2026-11-26T17-14-01.000Z-until-2027",
    "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "2f1e0d3c-0b4a-4c39-8f10-9f5b6d1a7e42",
    "application-release-v2.13.4-beta.1", "eu-central-1.compute.internal-10-0-0-1",
  ])
  func `CAS-25 names, versions, times and digests are none`(word: String) {
    let entry = HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(method: "GET", url: "https://a.test/?x=\(word)"))
    #expect(Leftover.all(in: [entry]).isEmpty)
  }

  @Test func `CAS-26 new stand-ins are none of those that a recording has already`() throws {
    func answer(_ token: String) -> HAREntry {
      HAREntry(
        started: 0, milliseconds: 0,
        request: HARRequest(method: "POST", url: "https://a.test/token"),
        response: HARResponse(
          status: 200, body: HARBody(Array(#"{"access_token":"\#(token)"}"#.utf8))))
    }
    var redaction = Redaction()
    let entries = redaction.redacted([answer("lull-token-7"), answer("issued-now-9238")])
    let text = String(decoding: entries[1].response?.body?.bytes ?? [], as: UTF8.self)
    #expect(text == #"{"access_token":"lull-token-8"}"#)
    #expect(entries[0] == answer("lull-token-7"))
  }

  @Test func `CAS-27 a token that was issued has its stand-in, any other secret its mask`() {
    let entry = HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(method: "POST", url: "https://a.test/token"),
      response: HARResponse(
        status: 200,
        body: HARBody(Array(#"{"access_token":"issued-now-9238","said":"kept-in-source"}"#.utf8))))
    var redaction = Redaction()
    let redacted = redaction.redacted(
      [entry],
      hiding: [
        (Array("issued-now-9238".utf8), "‹secret access token›"),
        (Array("kept-in-source".utf8), "‹secret literal›"),
      ])
    let text = String(decoding: redacted[0].response?.body?.bytes ?? [], as: UTF8.self)
    #expect(text == #"{"access_token":"lull-token-1","said":"‹secret literal›"}"#)
  }

  @Test(arguments: [
    #"{"token":"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"}"#,
    #"{"token":{"value":"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"}}"#,
    #"{"tokens":["9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"]}"#,
    "{\"a\":1}\n{\"access_token\":\"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b\"}\n",
    "event: login\ndata: {\"access_token\":\"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b\"}\n\n",
    #"done({"access_token":"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"});"#,
    #"{"body":"{\"access_token\":\"9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b\"}"}"#,
    #"<form><input type="hidden" name="csrf_token" value="9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"></form>"#,
    #"see https://bob:9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b@a.test/"#,
  ])
  func `CAS-28 tokens are found in answers of every shape, and have one stand-in`(body: String) {
    let token = "9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"
    var redaction = Redaction()
    let entries = redaction.redacted([
      HAREntry(
        started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: "https://a.test/"),
        response: HARResponse(status: 200, body: HARBody(Array(body.utf8)))),
      HAREntry(
        started: 0, milliseconds: 0,
        request: HARRequest(method: "GET", url: "https://a.test/u/\(token)"),
        response: HARResponse(status: 204)),
    ])
    #expect(entries[1].request.url == "https://a.test/u/lull-token-1")
    let text = String(decoding: entries[0].response?.body?.bytes ?? [], as: UTF8.self)
    #expect(!text.contains(token), "\(text)")
  }

  @Test func `CAS-29 what stands beside the mask of a secret is hidden, too`() {
    let mask = "‹secret MY KEY›"
    let request = HARRequest(
      method: "POST",
      url: "https://a.test/?api_key=%E2%80%B9secret%20MY%20KEY%E2%80%BA:deadbeef1&x=1",
      headers: [
        HARHeader("Cookie", "a=\(mask); sid=deadbeef2"),
        HARHeader("X-Api-Key", "\(mask):deadbeef3"),
        HARHeader("Authorization", "Bearer \(mask)"),
      ], body: HARBody(Array("{\"password\":\"\(mask)deadbeef4\"}".utf8)))
    var redaction = Redaction()
    let entry = redaction.redacted([
      HAREntry(started: 0, milliseconds: 0, request: request, response: HARResponse(status: 204))
    ])[0]
    let text = String(
      decoding: HARFile(creator: RedactionTests.creator, entries: [entry]).encoded(), as: UTF8.self)
    #expect(!text.contains("deadbeef"), "\(text)")
    #expect(entry.request.headers.last == HARHeader("Authorization", "Bearer \(mask)"))
  }

  @Test func `CAS-29 a field of several parts that is called like a credential is masked`() {
    let text =
      "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--b--\r\n"
    var redaction = Redaction()
    let redacted = redaction.redacted(
      HARRequest(
        method: "POST", url: "https://a.test/",
        body: HARBody(Array(text.utf8), type: "multipart/form-data; boundary=b")))
    let shown = String(decoding: redacted.body?.bytes ?? [], as: UTF8.self)
    #expect(shown == text.replacing("hunter2", with: "***"))
  }

  @Test func `CAS-23 an object or number that is called like a credential stays in an answer`() {
    let text = #"{"secret_scanning":{"status":"enabled"},"password_attempts":3,"secret_ids":[1,2]}"#
    let entry = HAREntry(
      started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: "https://a.test/"),
      response: HARResponse(status: 200, body: HARBody(Array(text.utf8))))
    var redaction = Redaction()
    #expect(redaction.redacted([entry]) == [entry])
  }

  private static func call(_ token: String) -> HARRequest {
    HARRequest(
      method: "GET", url: "https://a.test/files?cursor=\(token)",
      headers: [HARHeader("X-Session", token)])
  }

  private static let creator = HARFile.Creator(name: "lull", version: "1")
}
