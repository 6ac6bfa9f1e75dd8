import CLullBridge

/// The objects scripts hold, by handle: slot in the low half, generation in the high half.
///
/// Each userdata has a slot of its own. A handle whose generation is not its slot's is stale: its
/// object was released, and asking for it gives nothing. A slot whose generations are used up is
/// retired.
struct HandleTable {
  private struct Slot {
    var object: AnyObject?
    var kind: Int32 = 0
    var generation: UInt32 = 1
    /// Whether a userdata was made for it.
    var isClaimed = false
  }

  // Slot 0 stays empty, so that no handle is 0.
  private var slots = [Slot()]
  private var free: [UInt32] = []
  private(set) var count = 0
  /// How many objects were given a handle since it was last set to 0.
  var insertedCount = 0

  /// Room for an object, referred to from now on.
  mutating func insert(_ object: AnyObject, kind: Int32) -> UInt64 {
    count += 1
    insertedCount += 1
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].object = object
    slots[Int(index)].kind = kind
    slots[Int(index)].isClaimed = false
    return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
  }

  /// The object of a handle of that kind; nil if it was released.
  func object(_ handle: UInt64, kind: Int32) -> AnyObject? {
    let index = Int(handle & 0xffff_ffff)
    guard index < slots.count, slots[index].generation == UInt32(handle >> 32),
      slots[index].kind == kind
    else { return nil }
    return slots[index].object
  }

  func kind(_ handle: UInt64) -> Int32? {
    let index = Int(handle & 0xffff_ffff)
    guard index < slots.count, slots[index].generation == UInt32(handle >> 32) else { return nil }
    return slots[index].kind
  }

  /// The objects of a kind, each once, in the order of their slots.
  func objects(of kind: Int32) -> [AnyObject] {
    var seen: Set<ObjectIdentifier> = []
    return slots.compactMap { slot in
      guard slot.kind == kind, let object = slot.object,
        seen.insert(ObjectIdentifier(object)).inserted
      else { return nil }
      return object
    }
  }

  /// Marks the slot as having its userdata; false if it has had one already.
  mutating func claim(_ handle: UInt64) -> Bool {
    let index = Int(handle & 0xffff_ffff)
    guard kind(handle) != nil, !slots[index].isClaimed else { return false }
    slots[index].isClaimed = true
    return true
  }

  func isClaimed(_ handle: UInt64) -> Bool {
    kind(handle) != nil && slots[Int(handle & 0xffff_ffff)].isClaimed
  }

  /// The handles that were given a userdata.
  var claimed: [UInt64] {
    slots.indices.compactMap { index in
      guard slots[index].object != nil, slots[index].isClaimed else { return nil }
      return UInt64(slots[index].generation) << 32 | UInt64(index)
    }
  }

  /// The kinds of the objects in use, with a mark on those that have no userdata.
  var kindsInUse: [String] {
    slots.filter { $0.object != nil }.map { slot in
      let kind = HandleKind(rawValue: slot.kind)?.name ?? "?"
      return slot.isClaimed ? kind : kind + " (unclaimed)"
    }
  }

  /// Empties the slot; the object it held, or nil if the handle was stale.
  mutating func remove(_ handle: UInt64) -> AnyObject? {
    let index = Int(handle & 0xffff_ffff)
    guard kind(handle) != nil, let object = slots[index].object else { return nil }
    slots[index].object = nil
    count -= 1
    if slots[index].generation < UInt32.max {
      slots[index].generation += 1
      free.append(UInt32(index))
    }
    return object
  }

  /// Every object, which are then forgotten.
  mutating func removeAll() -> [AnyObject] {
    let objects = slots.compactMap(\.object)
    slots = [Slot()]
    free = []
    count = 0
    return objects
  }
}

/// The kinds of userdata, in the order of the bridge's `lull_kinds.h`, which has all there is to say of
/// each; these are the words for them here.
package enum HandleKind: Int32, CaseIterable {
  case module = 0
  case service, resource, request, observation, entity, response, error, task, configuration
  case httpRequest, headers, regex, file, multipart, log, completion, stub, pipeline, stage, cache
  case iterator, handler
  case watch, pages, events, streamEvent, follow, changes, status, progress
  case secret, auth, variables
  case api, apiCalls, apiCall
  case swiftFunction, swiftError
  case test

  /// As scripts see it, in messages and in `tostring`.
  package var name: String { String(cString: lull_kind_name(rawValue)) }
}
