import CLullBridge
import LullCore

/// Observers of a script that are told now, one after the other, and their resource.
struct Notification {
  // Whoever notifies holds all of these until the last observer has returned or waits.
  let sequence: UnsafeMutablePointer<lull_sequence>
  unowned(unsafe) let resource: Resource

  /// The one that runs.
  var observer: LuaObserver {
    let member = sequence.pointee.members[Int(sequence.pointee.position)]
    return Unmanaged.fromOpaque(member.context).takeUnretainedValue()
  }
}
