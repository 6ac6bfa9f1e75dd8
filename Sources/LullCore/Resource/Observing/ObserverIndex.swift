/// Where observers stand in a long list, by what they and their owners are.
///
/// Addresses are compared, which may be those of others by now: whoever looks something up looks
/// whether it is still so.
struct ObserverIndex {
  private var positions: [UInt: [Int]] = [:]
  private var identities: [AnyHashable: Int] = [:]
  /// How many of the list it knows; the others were added since.
  private(set) var count = 0

  /// What an object is looked up by.
  static func key(_ object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

  /// Takes in what has been added to the list.
  mutating func update(_ observations: [Observation]) {
    for position in count..<observations.count {
      let observation = observations[position]
      guard !observation.isRemoved else { continue }
      for key in observation.keys { positions[key, default: []].append(position) }
      if let identity = observation.identity { identities[identity] = position }
    }
    count = observations.count
  }

  /// One that is known already has got another owner.
  mutating func add(_ key: UInt, at position: Int) {
    if position < count { positions[key, default: []].append(position) }
  }

  /// Where those may stand that are, or are owned by, what has that key; in no order.
  subscript(_ key: UInt) -> [Int] { positions[key] ?? [] }

  func position(of identity: AnyHashable) -> Int? { identities[identity] }
}

/// An observer that knows by which keys, other than its own address, it may be looked up: those of values
/// of a script, which Swift does not know.
package protocol KeyedObserver: ObserverObject {
  var keys: [UInt] { get }
}
