import LullCore

/// Texts in which some parts have been masked already.
enum MaskedText {
  /// What stands in the place of a mask while a text is taken apart: it is in no text of anybody's.
  private static let mark: Character = "\u{1}"

  /// With one character in the place of each mask of a secret, which may have spaces in it.
  static func bare(_ text: String) -> String {
    CredentialMask.replacingMasks(in: text) { _ in String(mark) }
  }

  /// The parts beside masks that may be something by themselves; the whole text where nothing is masked.
  static func parts(of text: String) -> [String] {
    let bare = bare(text)
    guard bare.contains(mark) else { return CredentialMask.isMasked(text) ? [] : [text] }
    return bare.split(separator: mark).map { part in
      part.trimmingPrefix { !isWord($0) }
    }.map { part in
      var part = part
      while let last = part.last, !isWord(last) { part.removeLast() }
      return String(part)
    }.filter { $0.utf8.count >= 4 && !CredentialMask.isMasked($0) }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}
