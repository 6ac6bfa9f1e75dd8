import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct StatusPhraseTests {
  @Test(arguments: [
    (100, "Continue"), (103, "Early hints"), (200, "OK"), (203, "Non-authoritative information"),
    (207, "Multi-status"), (304, "Not modified"), (308, "Permanent redirect"),
    (400, "Bad request"), (401, "Unauthorized"), (404, "Not found"), (413, "Content too large"),
    (414, "URI too long"), (422, "Unprocessable content"), (429, "Too many requests"),
    (451, "Unavailable for legal reasons"), (500, "Internal server error"),
    (503, "Service unavailable"), (505, "HTTP version not supported"),
    (507, "Insufficient storage"), (511, "Network authentication required"),
  ])
  func `ERR-04 ERR-05 phrases are the IANA reasons in sentence case`(status: Int, phrase: String) {
    #expect(StatusPhrase.text(for: status) == phrase)
  }

  @Test(arguments: [
    (418, "Request failed"), (419, "Request failed"), (499, "Request failed"),
    (509, "Server error"), (520, "Server error"), (599, "Server error"),
    (0, "Request failed"), (306, "Request failed"), (600, "Request failed"),
    (-1, "Request failed"),
  ])
  func `ERR-05 unregistered statuses have the phrase of their class`(status: Int, phrase: String) {
    #expect(StatusPhrase.text(for: status) == phrase)
  }
}
