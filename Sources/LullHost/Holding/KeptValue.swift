/// A value of the script kept from a service's userdata for as long as this object lives.
///
/// Its end only notes the number: the value itself is let go at the next turn, since nothing may be
/// called across from `deinit`.
final class KeptValue {
  let id: Int64
  let handle: UInt64
  private let released: ReleasedValues

  init(id: Int64, handle: UInt64, _ released: ReleasedValues) {
    self.id = id
    self.handle = handle
    self.released = released
  }

  deinit { released.add(id: id, handle: handle) }
}
