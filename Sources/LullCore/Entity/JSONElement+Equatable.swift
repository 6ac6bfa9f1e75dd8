internal import CSimdjson

extension JSONElement: Equatable {
  /// Whether both hold the same content, of whatever documents: numbers compare as numbers, members
  /// in any order, and of repeated keys the last counts. (JSN-13)
  public static func == (one: JSONElement, other: JSONElement) -> Bool {
    csj_same_value(one.document.pointer, one.index, other.document.pointer, other.index) != 0
  }
}
