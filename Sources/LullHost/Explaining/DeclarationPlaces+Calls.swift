extension DeclarationPlaces {
  /// The line of a key inside the brackets of the call that begins on a line; nil if it is not there.
  package func line(of key: String, inCallOnLine line: Int) -> Int? {
    CallBrackets(self, line: line)?.lines[key.lowercased()]
  }
}
