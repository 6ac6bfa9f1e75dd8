import LullLibC

/// The number of files and sockets this process may have open.
enum DescriptorLimit {
  /// The soft limit; 0 if it cannot be read.
  static var current: UInt { UInt(read()?.rlim_cur ?? 0) }

  /// Whether not even one more file can be opened now.
  static var isReached: Bool {
    let descriptor = open("/", O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0 && (errno == EMFILE || errno == ENFILE)
  }

  /// Raises the soft limit to the hard one: the soft one, often 1,024, is there for `select` only.
  static func raise() {
    guard var limit = read(), limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(CLibrary.openFiles, &limit)
  }

  private static func read() -> rlimit? {
    var limit = rlimit()
    return getrlimit(CLibrary.openFiles, &limit) == 0 ? limit : nil
  }
}
