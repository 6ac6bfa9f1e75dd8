package import LullLibC

/// Starts other programs. Callable on any thread.
package enum ChildProcess {
  /// Where a standard stream of the child process is connected to.
  package enum Stream {
    /// The same stream of this process.
    case inherited
    /// The null device, `/dev/null`.
    case nowhere
    /// A descriptor of this process, which stays open here.
    case descriptor(Int32)
  }

  package struct Failure: Error {
    /// The system's error number.
    package let code: Int32
  }

  /// Starts a program. Signals that this process blocks or ignores are reset in the child process.
  ///
  /// - Parameters:
  ///   - words: The name of the program, followed by the arguments. The name is looked up on the
  ///     PATH unless it contains a slash.
  ///   - leadsGroup: Whether the program gets its own process group. It can then be ended together
  ///     with the processes it starts, and Ctrl-C doesn't reach it. A program that reads the
  ///     terminal must stay in the group of this process.
  ///   - variables: Additional or replaced environment variables, as `NAME=value`.
  /// - Returns: The process ID. The caller must reap the process.
  package static func start(
    _ words: [String], input: Stream = .inherited, output: Stream = .inherited,
    errors: Stream = .inherited, leadsGroup: Bool = true, variables: [String] = []
  ) throws(Failure) -> pid_t {
    guard let name = words.first else { throw Failure(code: ENOENT) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (place, stream) in zip(Int32(0)..., [input, output, errors]) {
      switch stream {
      case .inherited: break
      case .nowhere: posix_spawn_file_actions_addopen(&actions, place, "/dev/null", O_RDWR, 0)
      case .descriptor(let descriptor):
        posix_spawn_file_actions_adddup2(&actions, descriptor, place)
      }
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(
      &attributes, Int16(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let copies = (words + variables).map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let arguments = copies[..<words.count] + [nil]
    var environment = copies[words.count...] + []
    var next = environ
    // The list ends with a null pointer. Nothing changes the environment while it is read.
    let names = variables.map { $0.prefix { $0 != "=" } + "=" }
    while let entry = next.pointee {
      if !names.contains(where: { strncmp(entry, String($0), $0.utf8.count) == 0 }) {
        environment.append(entry)
      }
      next += 1
    }
    var process = pid_t()
    let status = posix_spawnp(
      &process, name, &actions, &attributes, Array(arguments), Array(environment) + [nil])
    guard status == 0 else { throw Failure(code: status) }
    return process
  }

  /// Waits until a process has ended, and reaps it. Returns the exit code of the process. If a
  /// signal ended the process, returns 128 plus the number of the signal.
  @discardableResult
  package static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // Any other error means that the process was reaped elsewhere.
      guard errno == EINTR else { return 0 }
    }
    return code(of: status)
  }

  /// The exit code for a status returned by `waitpid`.
  package static func code(of status: Int32) -> Int32 {
    status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }
}
