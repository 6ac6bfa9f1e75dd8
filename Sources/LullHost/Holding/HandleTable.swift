import CLullBridge

/// The objects that scripts hold, keyed by handle. The lower half of a handle is the slot, and the
/// upper half is the generation.
///
/// Each userdata has its own slot. A handle is stale if its generation differs from the generation
/// of the slot. The object of a stale handle was released, so a lookup returns nil. When all
/// generations of a slot have been used, the slot is not used again.
struct HandleTable {
  private struct Slot {
    var object: AnyObject?
    var kind: Int32 = 0
    var generation: UInt32 = 1
    /// Whether a userdata was created for the slot.
    var isClaimed = false
  }

  // Slot 0 stays empty, so that no handle is 0.
  private var slots = [Slot()]
  private var free: [UInt32] = []
  private(set) var count = 0
  /// The number of handles assigned since this property was last set to 0.
  var insertedCount = 0

  /// Adds an object, which the table holds until it is removed. Returns its handle.
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

  /// Returns the object with a handle. Returns nil if the object was released, or if it has another
  /// kind.
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

  /// Returns the objects of a kind in slot order. An object with several handles occurs once.
  func objects(of kind: Int32) -> [AnyObject] {
    var seen: Set<ObjectIdentifier> = []
    return slots.compactMap { slot in
      guard slot.kind == kind, let object = slot.object,
        seen.insert(ObjectIdentifier(object)).inserted
      else { return nil }
      return object
    }
  }

  /// Records that a userdata was created for the slot of a handle. Returns false if the slot
  /// already had one, or if the handle is stale.
  mutating func claim(_ handle: UInt64) -> Bool {
    let index = Int(handle & 0xffff_ffff)
    guard kind(handle) != nil, !slots[index].isClaimed else { return false }
    slots[index].isClaimed = true
    return true
  }

  func isClaimed(_ handle: UInt64) -> Bool {
    kind(handle) != nil && slots[Int(handle & 0xffff_ffff)].isClaimed
  }

  /// The handles for which a userdata was created.
  var claimed: [UInt64] {
    slots.indices.compactMap { index in
      guard slots[index].object != nil, slots[index].isClaimed else { return nil }
      return UInt64(slots[index].generation) << 32 | UInt64(index)
    }
  }

  /// The names of the kinds of all objects in the table. Names of objects without a userdata are
  /// marked.
  var kindsInUse: [String] {
    slots.filter { $0.object != nil }.map { slot in
      let kind = HandleKind(rawValue: slot.kind)?.name ?? "?"
      return slot.isClaimed ? kind : kind + " (unclaimed)"
    }
  }

  /// Frees the slot of a handle. Returns the object that was in it, or nil if the handle was stale.
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

  /// Removes all objects and returns them.
  mutating func removeAll() -> [AnyObject] {
    let objects = slots.compactMap(\.object)
    slots = [Slot()]
    free = []
    count = 0
    return objects
  }
}

/// The kinds of userdata, in the same order as in the bridge's `lull_kinds.h`, which defines their
/// other properties.
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

  /// The name of the kind in messages and in the result of `tostring`.
  package var name: String { String(cString: lull_kind_name(rawValue)) }
}
