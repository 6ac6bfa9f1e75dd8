/// How many columns of a terminal a text takes.
package enum TextWidth {
  package static func of(_ text: String) -> Int { DisplayWidth.of(text) }
}
