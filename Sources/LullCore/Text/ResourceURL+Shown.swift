extension ResourceURL {
  /// A URL as people see it, in which masks of secrets may stand; nil if it is none.
  ///
  /// For what is around them: in its text they are escaped.
  package init?(shown text: String) {
    self.init(
      absolute: text.contains(ResourceURL.maskStart) ? ResourceURL.escapingMasks(in: text) : text)
  }

  private static let maskStart = "‹secret "

  private static func escapingMasks(in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: maskStart),
      let end = rest[start.upperBound...].firstIndex(of: "›")
    {
      let mask = rest[start.lowerBound...end]
      result += rest[..<start.lowerBound]
      for byte in mask.utf8 { result += "%" + Hexadecimal.text([byte]) }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
