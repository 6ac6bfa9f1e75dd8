import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct SecretTextTests {
  private let token = Secret(.environment("TOKEN"))

  @Test func `a secret is called after its source`() {
    #expect(Secret(.environment("A")).mask == "‹secret A›")
    #expect(Secret(.file("/run/keys/api")).mask == "‹secret api›")
    #expect(Secret(.command(["pass", "show", "x"])).mask == "‹secret pass›")
    #expect(Secret(.shell("op read x")).mask == "‹secret op›")
    #expect(Secret(.literal("hunter2")).mask == "‹secret literal›")
    #expect(Secret(.literal("hunter2"), name: "a\n‹b›\u{7F}").mask == "‹secret a  b  ›")
    #expect(Secret(.literal("x"), name: String(repeating: "n", count: 100)).name.count == 60)
  }

  @Test func `secrets are equal by where they come from`() {
    #expect(token == Secret(.environment("TOKEN")))
    #expect(token != Secret(.environment("OTHER"), name: "TOKEN"))
    #expect(token != Secret(.environment("TOKEN"), name: "other"))
    #expect(token != Secret(.environment("TOKEN"), origins: ["https://a.test"]))
  }

  @Test func `a text has masks in the order of its parts`() {
    let text = SecretText("a ") + SecretText(token) + SecretText(" b")
    #expect(text.masked == "a ‹secret TOKEN› b")
    #expect(text.secrets == [token])
    let basic = Auth.basic(user: "ann", password: SecretText(token))
    #expect(basic.description == "authorization: Basic ‹secret TOKEN›")
    #expect(basic.identity.secrets == [token])
  }

  @Test func `headers show the mask and know what it stands for`() {
    var headers = RequestHeaders([("Accept", "a/b"), ("X-Key", "‹secret TOKEN›")])
    headers.add("X-Key", SecretText(token))
    headers.add("X-Key", "‹secret TOKEN›")
    #expect(headers.values("x-key") == Array(repeating: "‹secret TOKEN›", count: 3))
    let resolved = headers.resolved { name, text in Array("\(name) resolved".utf8) }
    #expect(
      resolved.pairs.map(\.value)
        == ["a/b", "‹secret TOKEN›", "x-key resolved", "‹secret TOKEN›"])
    #expect(!resolved.hasSecrets)
  }

  @Test func `a header set anew or removed has no secret`() {
    var headers = RequestHeaders()
    headers.add("Authorization", SecretText("Bearer ") + SecretText(token))
    headers.add("X-Key", SecretText(token))
    headers["AUTHORIZATION"] = "Bearer ‹secret TOKEN›"
    #expect(headers.secretValues.map(\.name) == ["x-key"])
    headers.remove("x-KEY")
    #expect(!headers.hasSecrets)
    #expect(headers == RequestHeaders([("Authorization", "Bearer ‹secret TOKEN›")]))
  }

  @Test func `headers differ by what stands behind the mask`() {
    var one = RequestHeaders()
    var two = RequestHeaders()
    one.add("X-Key", SecretText(token))
    two.add("X-Key", SecretText(Secret(.file("/f"), name: "TOKEN")))
    #expect(one != two)
    #expect(one != RequestHeaders([("X-Key", "‹secret TOKEN›")]))
    two.take("x-key", from: one)
    #expect(one == two)
    #expect(two.secretValues.map(\.text) == [SecretText(token)])
  }

  @Test func `a name that is no header keeps no secret`() {
    var headers = RequestHeaders()
    headers.add("X Key", SecretText(token))
    #expect(headers.isEmpty)
    #expect(headers.secretValues.isEmpty)
  }

  @Test func `a template escapes the text around a mask`() {
    var template = SecretTemplate()
    template.append("k=".utf8)
    template.append(SecretText("a&") + SecretText(token), .form)
    template.append("&".utf8)
    #expect(template.maskedText == "k=a%26‹secret TOKEN›&")
    #expect(template.secrets == [token])
    #expect(
      SecretEscaping.json.escaped("\"\\\n\u{1}ü".utf8) == Array("\\\"\\\\\\u000A\\u0001ü".utf8))
    #expect(SecretEscaping.parameter.escaped("a b&=+ü".utf8) == Array("a%20b%26%3D%2B%C3%BC".utf8))
  }
}
