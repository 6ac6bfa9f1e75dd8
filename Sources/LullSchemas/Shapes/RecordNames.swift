/// Names for records that no schema names: after the field, or the call, where they are.
enum RecordNames {
  /// Of fields that say nothing of what is in them.
  private static let general: Set<String> = [
    "data", "items", "item", "results", "result", "values", "value", "entries", "entry", "content",
    "records", "record", "rows", "row", "list", "nodes", "node", "edges", "objects", "payload",
  ]

  /// What stands in a field, or in the list or the map that it has.
  ///
  /// - Parameter owner: the name of the record that has the field.
  static func name(ofField field: String, in owner: String, isOfMany: Bool) -> String {
    let name = isOfMany ? singular(plain(field)) : plain(field)
    guard general.contains(field.lowercased()) else { return name }
    let one = isOfMany ? singular(owner) : owner
    return one == owner ? "\(owner)_\(name)" : one
  }

  /// With letters, digits and `_` only; `record` if nothing is left.
  static func plain(_ text: String) -> String {
    var name = ""
    var isParted = false
    for character in text {
      guard character.isASCII, character.isLetter || character.isNumber else {
        isParted = !name.isEmpty
        continue
      }
      // `ownerName` and `owner_name` are one.
      if character.isUppercase, let last = name.last, last.isLowercase { isParted = true }
      if isParted { name.append("_") }
      isParted = false
      name.append(character.lowercased())
    }
    if let first = name.first, first.isNumber { name = "_" + name }
    return name.isEmpty ? "record" : name
  }

  private static let others = ["children": "child", "people": "person", "series": "series"]

  static func singular(_ name: String) -> String {
    if let other = others[name] { return other }
    for ending in ["ss", "us", "is"] where name.hasSuffix(ending) { return name }
    if name.hasSuffix("ies"), name.count > 4 { return name.dropLast(3) + "y" }
    for ending in ["sses", "xes", "ches", "shes", "zes"] where name.hasSuffix(ending) {
      return String(name.dropLast(2))
    }
    return name.hasSuffix("s") && name.count > 2 ? String(name.dropLast()) : name
  }
}
