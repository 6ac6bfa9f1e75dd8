/// A value of the script kept from a service's userdata for as long as this object lives.
///
/// Its end only notes the number: the value itself is let go at the next turn, since nothing may be
/// called across from `deinit`.
package final class KeptValue {
  let id: Int64
  let handle: UInt64
  private let released: ReleasedValues
  private weak var values: KeptValues?

  init(id: Int64, handle: UInt64, _ values: KeptValues) {
    self.id = id
    self.handle = handle
    self.values = values
    released = values.released
  }

  /// What it does; nil if it is gone, or without memory.
  package func wording(limit: Int) -> FunctionWording? { values?.wording(of: id, limit: limit) }

  deinit { released.add(id: id, handle: handle) }
}
