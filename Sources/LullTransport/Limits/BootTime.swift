import LullLibC
import LullCore

/// Time that goes on evenly, also while the machine sleeps, whatever is done to its clock; the same for all
/// processes until it starts anew.
enum BootTime {
  /// Seconds.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLibrary.clockSinceBoot, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Which start of the machine it counts from.
  static let boot: String = {
    guard case .success(let bytes) = SecretFile.read("/proc/sys/kernel/random/boot_id") else {
      return ""
    }
    return String(escaping: bytes.prefix { $0 > 32 })
  }()
}
