import Glibc

/// The number of files and sockets this process may have open.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one: the soft one, often 1,024, is there for `select` only.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    guard limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
