import LullCore
import Testing

/// What is taken for a credential by its name, and what is shown in its place.
@Suite("Names of credentials, and masks", .timeLimit(.minutes(20)))
struct CredentialMaskTests {
  @Test(arguments: [
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api_key",
    "apiKey",
    "APIKey", "apikey", "password", "user_password", "PASSWD", "client_secret", "clientSecret",
    "access_token", "accessToken", "refresh-token", "id_token", "Access-Key", "AccessKeyId",
    "private_key", "X-Amz-Credential", "passphrase", "JSESSIONID", "X-Amz-Security-Token",
  ])
  func `nothing else is called so`(name: String) {
    #expect(CredentialName(name) == .certain)
  }

  @Test(arguments: [
    "X-Key", "key", "X-Session", "session", "sig", "Signature", "X-Hub-Signature-256", "X-Pwd",
    "token", "X-Auth-User", "auth", "oauth_nonce", "sid", "csrf", "X-CSRFToken", "tokens",
    "client_assertion", "user[pass]", "X-Token-V2",
  ])
  func `other things are called so too`(name: String) {
    #expect(CredentialName(name) == .likely)
  }

  @Test(arguments: [
    "Accept", "X-User-Id", "author", "authors", "monkey", "Idempotency-Key", "primary_key",
    "token_type", "token_url", "max_tokens", "X-RateLimit-Remaining-Tokens", "secretary", "keys",
    "WWW-Authenticate", "Access-Control-Allow-Credentials", "design", "passenger", "sessions", "",
    "expires_in", "access_token_expires_in", "ETag", "Cache-Control", "Surrogate-Key",
  ])
  func `other names say nothing`(name: String) {
    #expect(CredentialName(name) == nil)
  }

  @Test(arguments: [
    ("http://h/p?api_key=S&b=1", "http://h/p?api_key=***&b=1"),
    ("http://ann:S@h/p?b=1&sig=S#access_token=S", "http://h/p?b=1&sig=***#access_token=***"),
    ("/p?api%5Fkey=S%26", "/p?api%5Fkey=***"), ("http://h/?token=", "http://h/?token="),
    ("http://h/?a=b=token=c", "http://h/?a=b=token=c"),
    ("http://h/?token=‹secret MY KEY›&b=2", "http://h/?token=‹secret MY KEY›&b=2"),
    ("http://h/key=1?q=a'b", "http://h/key=1?q=a'b"),
    ("http://h/?a=1;b=2&X-Amz-Signature=S", "http://h/?a=1;b=2&X-Amz-Signature=***"),
  ])
  func `are masked in URLs`(url: String, shown: String) {
    #expect(CredentialMask.url(url) == shown)
  }

  @Test(arguments: [
    ("http://ann:S@ho st/x", "http://ho st/x"), ("http://ann:S/S@h/x", "http://h/x"),
    ("http://ann:S@S@h:99999999/", "http://h:99999999/"), ("ann:S@h/x", "h/x"),
    ("http:/ann:S@h/x?token=S", "http:/h/x?token=***"), ("no URL", "no URL"),
  ])
  func `what is no URL`(text: String, shown: String) {
    #expect(CredentialMask.malformedURL(text) == shown)
  }

  @Test(arguments: [
    (
      "cannot reach 'http://a:S@h/?key=S' (http://b:S@i/?a=1&sig=S)",
      "cannot reach 'http://h/?key=***' (http://i/?a=1&sig=***)"
    ),
    ("see http://h/?token=S, or not", "see http://h/?token=***, or not"),
    ("</p?page=2&token=S>; rel=\"next\"", "</p?page=2&token=***>; rel=\"next\""),
    ("a = b @ c", "a = b @ c"),
  ])
  func `are masked in texts`(text: String, shown: String) {
    #expect(CredentialMask.text(text) == shown)
  }

  @Test func `are masked in headers`() {
    #expect(CredentialMask.header("set-cookie", "sid=S; Path=/") == "***")
    #expect(CredentialMask.header("location", "/p?token=S") == "/p?token=***")
    #expect(CredentialMask.header("authorization", "token ‹secret K›") == "token ‹secret K›")
    #expect(CredentialMask.header("x-tag", "a=b") == "a=b")
    #expect(CredentialMask.header("x-own", "Bearer S") == "***")
    #expect(
      CredentialMask.header("www-authenticate", "Basic realm=\"a\"") == "Basic realm=\"a\"")
    #expect(CredentialMask.header("x-tag", "basic") == "basic")
  }

  @Test(arguments: [
    (#"{"user":"ann","password":"S\"S","n":1}"#, #"{"user":"ann","password":"***","n":1}"#),
    (
      #"{"a":[{"api_key" : 12345}, {"auth": {"x": ["S", 1]}, "b": 2}]}"#,
      #"{"a":[{"api_key" : "***"}, {"auth": "***", "b": 2}]}"#
    ),
    (#"{"\u0070assword":"S"}"#, #"{"\u0070assword":"***"}"#),
    (
      #"{"token":null,"secret":true,"sig":"","key":[]}"#,
      #"{"token":null,"secret":true,"sig":"","key":[]}"#
    ),
    (#"{"token":"‹secret K›"}"#, #"{"token":"‹secret K›"}"#),
    (#"{"auth":{"a":"‹secret K›","b":"S"}}"#, #"{"auth":"***"}"#),
    (#"{"token":"S"#, #"{"token":"***""#), (#"["password","S"]"#, #"["password","S"]"#),
    ("{\"token\":\"S\"}\n{\"token\":\"S\"}\n", "{\"token\":\"***\"}\n{\"token\":\"***\"}\n"),
    ("user=ann&password=S&api%5Fkey=S+S", "user=ann&password=***&api%5Fkey=***"),
    ("a text with password=S in it", "a text with password=S in it"),
    (
      "<a><user>ann</user><p:password x='1'>S</p:password><token/><secret></secret></a>",
      "<a><user>ann</user><p:password x='1'>***</p:password><token/><secret></secret></a>"
    ),
    ("<password>‹secret K›</password><key", "<password>‹secret K›</password><key"),
    (
      "grant_type=x&client_secret=‹secret K›&sig=S", "grant_type=x&client_secret=‹secret K›&sig=***"
    ),
  ])
  func `are masked in bodies`(body: String, shown: String) {
    #expect(CredentialMask.body(body) == shown)
    #expect(CredentialMask.body(Array(body.utf8)) == Array(shown.utf8))
  }

  @Test func `bodies that are no text stay as they are`() {
    #expect(CredentialMask.body([0xFF, 0x3D, 0x00]) == [0xFF, 0x3D, 0x00])
  }
}
