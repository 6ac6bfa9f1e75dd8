extension StringProtocol {
  /// Without the spaces and tabs around it, which mean nothing in values of headers. (RFC 9110, 5.6.3)
  package var trimmingBlanks: SubSequence {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
