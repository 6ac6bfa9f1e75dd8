package import LullLibC

/// Programs that are started beside this one. Any thread.
package enum ChildProcess {
  /// What stands at one of its three standard streams.
  package enum Stream {
    /// What stands at ours.
    case inherited
    /// Nothing to read, and nobody who reads.
    case nowhere
    /// A descriptor of ours; it stays open here.
    case descriptor(Int32)
  }

  package struct Failure: Error {
    /// The system's error number.
    package let code: Int32
  }

  /// Starts a program. What this process blocks, or ignores for its own sake, is not so there.
  ///
  /// - Parameters:
  ///   - words: its name, which is looked for on the PATH unless there is a slash in it, and its arguments.
  ///   - leadsGroup: whether it is in a group of its own: it can be ended with all that it starts, and
  ///     Ctrl-C is not its business. Who reads a terminal has to stay in ours.
  ///   - variables: what its environment has besides ours, or in the place of ours, as `NAME=value`.
  /// - Returns: its number. Whoever starts it reaps it.
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
    // Ends with a null pointer; nobody changes the environment meanwhile.
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

  /// Waits until it has ended, and reaps it: its exit code, 128 and more for a signal.
  @discardableResult
  package static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // Reaped by somebody else.
      guard errno == EINTR else { return 0 }
    }
    return code(of: status)
  }

  /// What a status of `waitpid` says.
  package static func code(of status: Int32) -> Int32 {
    status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }
}
