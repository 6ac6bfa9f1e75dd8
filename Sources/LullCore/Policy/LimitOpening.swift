/// Whether a limit lets one more through.
enum LimitOpening: Equatable {
  case open
  /// Seconds from now.
  case opens(after: Double)
  /// When one of those let through gives its place back.
  case closed
}
