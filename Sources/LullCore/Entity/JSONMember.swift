/// A member of an object that is written as JSON.
package protocol JSONMember {
  associatedtype Value
  var key: String { get }
  var value: Value { get set }
}

extension Array where Element: JSONMember {
  /// Each key once, at its first position, with its last value. (JSN-13)
  var withoutRepetition: [Element] {
    // Nearly always nothing repeats, which few keys show without hashing. `==` may find too much,
    // two ways to compose a character, but never too little.
    let mayRepeat =
      count > 16
      || indices.contains { place in self[..<place].contains { $0.key == self[place].key } }
    guard mayRepeat else { return self }
    var positions: [[UInt8]: Int] = [:]
    var unique: [Element] = []
    for member in self {
      if let position = positions[Array<UInt8>(member.key.utf8)] {
        unique[position].value = member.value
      } else {
        positions[Array<UInt8>(member.key.utf8)] = unique.count
        unique.append(member)
      }
    }
    return unique
  }
}
