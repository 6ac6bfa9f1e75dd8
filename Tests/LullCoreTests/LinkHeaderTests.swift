import LullCore
import Testing

/// The `Link` header. (RFC 8288, appendix B)
@Suite(.timeLimit(.minutes(20)))
struct LinkHeaderTests {
  private func next(_ value: String) -> String? { LinkHeader.target("next", in: value) }

  @Test func `a link has target and relations`() {
    #expect(
      LinkHeader(#"<https://x.test/?a=1,2;b>; rel="next prev"; title="t", <b>;rel=last"#).links
        == [
          WebLink(target: "https://x.test/?a=1,2;b", relations: ["next", "prev"]),
          WebLink(target: "b", relations: ["last"]),
        ])
  }

  @Test func `relations and names ignore letter case`() {
    #expect(next("<a>; REL=NeXt") == "a")
  }

  @Test func `values may be quoted with commas semicolons and escapes inside`() {
    #expect(next(#"<a>; title="x, <y>; rel=next", <b>; title="\", \\"; rel="next""#) == "b")
    #expect(next(#"<a>; title="never ends, <b>; rel=next"#) == nil)
  }

  @Test func `white space may stand around everything`() {
    #expect(next(" , ,\t<a> ;\trel = \"next\" ; x , <b>") == "a")
  }

  @Test func `of a relation given twice the first counts`() {
    #expect(next("<a>; rel=prev; rel=next") == nil)
    #expect(next("<a>; rel=next; rel=prev") == "a")
  }

  @Test func `links from somewhere else do not count`() {
    #expect(next(##"<a>; rel=next; anchor="#x", <b>; rel=next"##) == "b")
  }

  @Test func `the first link of a relation counts`() {
    #expect(next("<a>; rel=next, <b>; rel=next") == "a")
  }

  @Test func `what is no link is passed over`() {
    #expect(next("nonsense, <unclosed, \"quo,ted\"; rel=next") == nil)
    #expect(next("nonsense, \"quo,ted\" , <b>; rel=next") == "b")
    for text in [
      "", ",", "<", ">", ";", "<a>;", "<a>; rel", "<a>; rel=", "<a>; rel=\"", "<a>; =next",
    ] {
      #expect(next(text) == nil, "\(text)")
    }
  }

  @Test func `an empty target is the page itself`() {
    #expect(next("<>; rel=next") == "")
  }

  @Test func `parameters without a value do not disturb`() {
    #expect(next("<a>; crossorigin; rel=next") == "a")
  }

  @Test func `a target is all that stands before the bracket`() {
    #expect(next(#"</p?q=a b&page=2>; rel="next""#) == "/p?q=a b&page=2")
    #expect(next(#"< /p,;"'x >; rel=next"#) == #" /p,;"'x "#)
    #expect(next("</p?q=a<b>; rel=next") == "/p?q=a<b")
  }

  @Test func `values without quotes may have spaces`() {
    #expect(next("<a>; rel=prev next, <b>") == "a")
    #expect(next("<a>; rel=\"prev\tnext\"") == "a")
  }

  @Test(arguments: [
    "</p?page=2; rel=next", "<a, </b>; rel=next", "/p?page=2; rel=next", "<a>; rel='next'",
    "<a>; title=\"never ends, <b>; rel=next", "<a>; rel=\u{201C}next\u{201D}",
    "</b>; rel=prev, <; rel=NEXT", "<a>; rel=\"next",
  ])
  func `what cannot be read may hide a relation`(value: String) {
    #expect(next(value) == nil)
    #expect(LinkHeader(value).mayHide("next"))
    #expect(!LinkHeader(value).mayHide("first"))
  }

  @Test(arguments: [
    "", "</p>; title=\"next\"", "</p>; rel=prev", "nonsense", "<unclosed, \"quoted\"; rel=last",
    "<a>; rel=next", "<a>; rel=\"next-archive\"", "next-archive",
  ])
  func `what can be read hides nothing`(value: String) {
    #expect(!LinkHeader(value).mayHide("next"))
  }
}
