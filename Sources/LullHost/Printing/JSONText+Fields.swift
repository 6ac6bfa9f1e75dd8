extension JSONText {
  /// The part of a dotted name of a field that no row has; nil if a row has the field, or what would
  /// have it is null or a list in all of them.
  package static func missingPart(
    of name: String, in rows: [JSONText]
  ) -> PlaceWarnings.MissingPart? {
    guard !rows.contains(where: { $0.field(name) != nil }) else { return nil }
    let parts = name.split(separator: ".").map(String.init)
    var reached = -1
    var holder: JSONText?
    for row in rows where row.kind == .object {
      var current = row
      var count = 0
      while count < parts.count, let next = current[parts[count]] {
        current = next
        count += 1
      }
      let isRecord = current.kind == .object && count < parts.count
      if count > reached {
        reached = count
        holder = isRecord ? current : nil
      } else if count == reached, holder == nil, isRecord {
        holder = current
      }
    }
    guard let holder else { return nil }
    return PlaceWarnings.MissingPart(
      name: parts[reached], head: parts[..<reached].joined(separator: "."),
      tail: parts[(reached + 1)...].joined(separator: "."), known: holder.members.map(\.key))
  }
}
