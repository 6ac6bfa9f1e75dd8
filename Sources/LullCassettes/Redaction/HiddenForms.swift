import LullCore

/// The ways in which a text may stand somewhere, besides escapes, which are undone where it is looked for: as it
/// is, within base64 of either alphabet wherever it begins there, and as hexadecimal digits; in Latin-1, too.
struct HiddenForms {
  let all: [[UInt8]]

  /// Below so many bytes what is left of it in base64 is too little to tell.
  private static let shortestInBase64 = 8

  init(_ text: [UInt8]) {
    var forms = HiddenForms.forms(of: text)
    if text.contains(where: { $0 > 0x7F }), let string = String(validating: text, as: UTF8.self),
      let latin1 = try? TextCoding.encode(string, charset: "iso-8859-1")
    {
      forms += HiddenForms.forms(of: latin1)
    }
    all = forms
  }

  private static func forms(of text: [UInt8]) -> [[UInt8]] {
    var forms = [text]
    if text.count >= HiddenForms.shortestInBase64 {
      for offset in 0..<3 {
        for alphabet in [Base64.Alphabet.standard, .url] {
          let form = HiddenForms.inside(text, after: offset, alphabet)
          if !forms.contains(form) { forms.append(form) }
        }
      }
      let digits = Hexadecimal.text(text)
      forms += [Array(digits.utf8), Array(digits.uppercased().utf8)]
    }
    return forms
  }

  /// The digits that are made of it alone, when so many bytes precede it in a group of three.
  private static func inside(
    _ text: [UInt8], after offset: Int, _ alphabet: Base64.Alphabet
  ) -> [UInt8] {
    let whole = Base64.encode(
      [UInt8](repeating: 0, count: offset) + text, alphabet: alphabet, isPadded: false)
    let first = (offset * 8 + 5) / 6
    let end = (offset + text.count) * 8 / 6
    return Array(whole[first..<end])
  }
}
