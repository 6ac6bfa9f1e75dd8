extension SecretText {
  /// The cookies in it; the name of one is nil where a secret may have it.
  package var cookies: [(name: String?, text: SecretText)] {
    var parts: [[Piece]] = [[]]
    for piece in pieces {
      guard case .literal(let text) = piece else {
        parts[parts.count - 1].append(piece)
        continue
      }
      for (position, part) in text.split(separator: ";", omittingEmptySubsequences: false)
        .enumerated()
      {
        if position > 0 { parts.append([]) }
        let own = parts[parts.count - 1].isEmpty ? part.drop { $0 == " " } : part
        if !own.isEmpty { parts[parts.count - 1].append(.literal(String(own))) }
      }
    }
    return parts.filter { !$0.isEmpty }.map { pieces in
      var name: String?
      if case .literal(let text)? = pieces.first, let equals = text.firstIndex(of: "=") {
        name = String(text[..<equals])
      }
      return (name, SecretText(pieces))
    }
  }
}
