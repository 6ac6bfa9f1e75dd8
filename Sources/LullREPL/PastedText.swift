/// A text as a terminal sends it when it is pasted.
enum PastedText {
  /// Lines ended as Lua's are, without characters a terminal would act on.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      if scalar == "\r" || scalar == "\n" && !isAfterReturn {
        text.append("\n")
      } else if scalar == "\t" || scalar.value >= 32 && !(127..<160).contains(scalar.value) {
        text.append(scalar)
      }
    }
    return String(text)
  }
}
