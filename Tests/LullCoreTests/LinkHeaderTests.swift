import LullCore
import Testing

/// The `Link` header. (RFC 8288, appendix B)
struct LinkHeaderTests {
  private func next(_ value: String) -> String? { LinkHeader.target("next", in: value) }

  @Test func a_link_has_target_and_relations() {
    #expect(
      LinkHeader(#"<https://x.test/?a=1,2;b>; rel="next prev"; title="t", <b>;rel=last"#).links
        == [
          WebLink(target: "https://x.test/?a=1,2;b", relations: ["next", "prev"]),
          WebLink(target: "b", relations: ["last"]),
        ])
  }

  @Test func relations_and_names_ignore_letter_case() {
    #expect(next("<a>; REL=NeXt") == "a")
  }

  @Test func values_may_be_quoted_with_commas_semicolons_and_escapes_inside() {
    #expect(next(#"<a>; title="x, <y>; rel=next", <b>; title="\", \\"; rel="next""#) == "b")
    #expect(next(#"<a>; title="never ends, <b>; rel=next"#) == nil)
  }

  @Test func white_space_may_stand_around_everything() {
    #expect(next(" , ,\t<a> ;\trel = \"next\" ; x , <b>") == "a")
  }

  @Test func of_a_relation_given_twice_the_first_counts() {
    #expect(next("<a>; rel=prev; rel=next") == nil)
    #expect(next("<a>; rel=next; rel=prev") == "a")
  }

  @Test func links_from_somewhere_else_do_not_count() {
    #expect(next(##"<a>; rel=next; anchor="#x", <b>; rel=next"##) == "b")
  }

  @Test func the_first_link_of_a_relation_counts() {
    #expect(next("<a>; rel=next, <b>; rel=next") == "a")
  }

  @Test func what_is_no_link_is_passed_over() {
    #expect(next("nonsense, <unclosed, \"quo,ted\"; rel=next") == nil)
    #expect(next("nonsense, \"quo,ted\" , <b>; rel=next") == "b")
    for text in [
      "", ",", "<", ">", ";", "<a>;", "<a>; rel", "<a>; rel=", "<a>; rel=\"", "<a>; =next",
    ] {
      #expect(next(text) == nil, "\(text)")
    }
  }

  @Test func an_empty_target_is_the_page_itself() {
    #expect(next("<>; rel=next") == "")
  }

  @Test func parameters_without_a_value_do_not_disturb() {
    #expect(next("<a>; crossorigin; rel=next") == "a")
  }

  @Test func a_target_is_all_that_stands_before_the_bracket() {
    #expect(next(#"</p?q=a b&page=2>; rel="next""#) == "/p?q=a b&page=2")
    #expect(next(#"< /p,;"'x >; rel=next"#) == #" /p,;"'x "#)
    #expect(next("</p?q=a<b>; rel=next") == "/p?q=a<b")
  }

  @Test func values_without_quotes_may_have_spaces() {
    #expect(next("<a>; rel=prev next, <b>") == "a")
    #expect(next("<a>; rel=\"prev\tnext\"") == "a")
  }

  @Test(arguments: [
    "</p?page=2; rel=next", "<a, </b>; rel=next", "/p?page=2; rel=next", "<a>; rel='next'",
    "<a>; title=\"never ends, <b>; rel=next", "<a>; rel=\u{201C}next\u{201D}",
    "</b>; rel=prev, <; rel=NEXT", "<a>; rel=\"next",
  ])
  func what_cannot_be_read_may_hide_a_relation(value: String) {
    #expect(next(value) == nil)
    #expect(LinkHeader(value).mayHide("next"))
    #expect(!LinkHeader(value).mayHide("first"))
  }

  @Test(arguments: [
    "", "</p>; title=\"next\"", "</p>; rel=prev", "nonsense", "<unclosed, \"quoted\"; rel=last",
    "<a>; rel=next", "<a>; rel=\"next-archive\"", "next-archive",
  ])
  func what_can_be_read_hides_nothing(value: String) {
    #expect(!LinkHeader(value).mayHide("next"))
  }
}
