extension ResourceURL {
  /// A URL as people see it, in which masks of secrets may stand; nil if it is none.
  ///
  /// For what is around them: in its text they are escaped.
  package init?(shown text: String) {
    self.init(
      absolute: CredentialMask.replacingMasks(in: text) { mask in
        mask.utf8.map { "%" + Hexadecimal.text([$0]) }.joined()
      })
  }
}
