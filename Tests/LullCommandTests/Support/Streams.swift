import LullLibC

/// The three standard streams of a child: our ends of them, and until it has started, its own.
struct Streams {
  /// -1 if there is none, or if it is a terminal, which is read and written at one end.
  var input: Int32 = -1
  var output: Int32 = -1
  var errors: Int32 = -1
  /// What the child opens for all three; nil for pipes.
  private(set) var terminalName: String?
  private var others: [Int32] = []

  /// - Parameter hasInput: whether we write to its input; else that is empty.
  static func pipes(hasInput: Bool) throws -> Streams {
    var streams = Streams()
    // A pipe that ends at once would tell the sample API that its parent has gone.
    let (childInput, input) =
      try hasInput ? pipe() : (open("/dev/null", O_RDONLY | O_CLOEXEC), -1)
    let (output, childOutput) = try pipe()
    let (errors, childErrors) = try pipe()
    (streams.input, streams.output, streams.errors) = (input, output, errors)
    streams.others = [childInput, childOutput, childErrors]
    return streams
  }

  static func terminal() throws -> Streams {
    var streams = Streams()
    var (ours, other): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 256)
    guard openpty(&ours, &other, &name, nil, nil) == 0 else {
      throw Child.Failure(description: "no terminal")
    }
    for end in [ours, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    streams.output = ours
    streams.terminalName = name.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) }
    }
    streams.others = [other]
    return streams
  }

  /// Says what the child shall do with its ends.
  func connect(_ actions: inout posix_spawn_file_actions_t) {
    if let terminalName {
      // The first terminal a session leader opens is the one that controls it.
      posix_spawn_file_actions_addopen(&actions, 0, terminalName, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    } else {
      for (number, end) in others.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
      }
    }
  }

  /// Writes to the child; no more than a pipe holds.
  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    _ = LullLibC.write(terminalName == nil ? input : output, bytes, bytes.count)
  }

  func resize(columns: Int, rows: Int) {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    _ = ioctl(output, UInt(TIOCSWINSZ), &size)
  }

  /// The child has its ends.
  mutating func closeOthers() {
    for end in others { _ = LullLibC.close(end) }
    others = []
  }

  mutating func close() {
    closeOthers()
    Streams.close(&input)
    Streams.close(&output)
    Streams.close(&errors)
  }

  static func close(_ end: inout Int32) {
    if end >= 0 { _ = LullLibC.close(end) }
    end = -1
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard LullLibC.pipe(&ends) == 0 else { throw Child.Failure(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
