internal import CSimdjson

extension JSONElement: Equatable {
  /// Whether both hold the same content, of whatever documents: numbers compare as numbers, members
  /// in any order, and of repeated keys the last counts. (JSN-13)
  public static func == (one: JSONElement, other: JSONElement) -> Bool {
    one.withView { view in
      other.withView { otherView in
        one.document === other.document && one.index == other.index
          || equal(view, one.index, otherView, other)
      }
    }
  }

  private static func equal(
    _ view: csj_view, _ index: Int, _ otherView: csj_view, _ other: JSONElement
  ) -> Bool {
    let type = csj_type_at(view, index)
    let otherType = csj_type_at(otherView, other.index)
    switch (type, otherType) {
    case (CSJ_INT, CSJ_DOUBLE):
      return JSONValue.equal(
        csj_int_at(view, index), csj_double_at(otherView, other.index))
    case (CSJ_DOUBLE, CSJ_INT):
      return JSONValue.equal(
        csj_int_at(otherView, other.index), csj_double_at(view, index))
    default:
      guard type == otherType else { return false }
    }
    switch type {
    case CSJ_INT: return csj_int_at(view, index) == csj_int_at(otherView, other.index)
    case CSJ_DOUBLE: return csj_double_at(view, index) == csj_double_at(otherView, other.index)
    case CSJ_STRING:
      let bytes = bytes(view, index)
      let otherBytes = JSONElement.bytes(otherView, other.index)
      return bytes.count == otherBytes.count && bytes.elementsEqual(otherBytes)
    case CSJ_ARRAY:
      guard csj_count(view, index) == csj_count(otherView, other.index) else { return false }
      let end = csj_end(view, index)
      var element = csj_first(view, index)
      var otherElement = csj_first(otherView, other.index)
      while element < end {
        let place = JSONElement(document: other.document, index: otherElement)
        guard equal(view, element, otherView, place) else { return false }
        element = csj_after(view, element)
        otherElement = csj_after(otherView, otherElement)
      }
      return true
    case CSJ_OBJECT:
      let pairs = pairs(view, index)
      guard pairs.count == other.count else { return false }
      for pair in pairs {
        var length = 0
        let key = csj_string_at(view, Int(pair.key), &length)
        // The key points into `view`, which the caller keeps alive.
        let found = csj_member(other.document.pointer, other.index, key, length)
        guard found != 0 else { return false }
        let place = JSONElement(document: other.document, index: found)
        guard equal(view, Int(pair.value), otherView, place) else { return false }
      }
      return true
    default: return true
    }
  }
}
