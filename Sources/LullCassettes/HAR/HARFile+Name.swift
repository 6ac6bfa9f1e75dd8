extension HARFile {
  /// Whether a recording may be called so: it stays in its folder, is shown, and may be committed anywhere.
  package static func isPlain(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
      && !name.unicodeScalars.contains {
        "/\\".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
      }
  }
}
