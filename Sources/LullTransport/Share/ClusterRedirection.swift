/// Where one of a cluster says that a command is to go instead, as its clients are told by the cluster's specification.
enum ClusterRedirection: Equatable {
  /// It is kept there from now on: `MOVED 3999 127.0.0.1:6381`.
  case moved(ShareAddress.Place)
  /// It is on its way there: this one command, after `ASKING`, and none of those that follow: `ASK 3999 …`.
  case asked(ShareAddress.Place)
  /// Some of it is here and some there, and not for long: `TRYAGAIN`.
  case divided

  /// nil if it is no such answer, or names nothing that makes sense.
  init?(_ words: String, from place: ShareAddress.Place) {
    if words.hasPrefix("TRYAGAIN") {
      self = .divided
      return
    }
    let words = words.split(separator: " ")
    guard words.count == 3, let other = place.neighbour(words[2]) else { return nil }
    switch words[0] {
    case "MOVED": self = .moved(other)
    case "ASK": self = .asked(other)
    default: return nil
    }
  }
}
