import LullCore
import Testing

/// The `Link` header. (RFC 8288, appendix B)
struct LinkHeaderTests {
  private func next(_ value: String) -> String? { LinkHeader.target("next", in: value) }

  @Test func a_link_has_target_and_relations() {
    #expect(
      LinkHeader.links(in: #"<https://x.test/?a=1,2;b>; rel="next prev"; title="t", <b>;rel=last"#)
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
    #expect(next("nonsense, <unclosed, \"quo,ted\" , <b>; rel=next") == nil)
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
}
