/// What the text of a call says of it in plain sight.
struct CallOutline {
  enum Said {
    case nothing
    case text(LiteralText)
    /// It is to be read.
    case more
  }

  var path = Said.nothing
  var method = Said.nothing
  var description = Said.nothing
  var hasSchema = false
  /// Whether a place of its path may take slashes.
  var mayBeOpen = false
  /// Whether there is a secret in it.
  var usesLull = false
}
