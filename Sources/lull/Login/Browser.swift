import Glibc
import LullSystem

/// The browser of whoever sits at the terminal, if there is a display.
struct Browser {
  private let isWanted: Bool

  init(isWanted: Bool) {
    self.isWanted = isWanted
  }

  /// Opens a URL by `xdg-open`; false if nobody would see it, or that is not there.
  ///
  /// - Parameter url: one of http or https.
  func open(_ url: String) -> Bool {
    guard isWanted, StandardTerminals.showsOutput, Browser.hasDisplay,
      url.hasPrefix("https://") || url.hasPrefix("http://")
    else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // What browsers say is not for this terminal.
    for stream: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
    }
    // In a group of its own, so that Ctrl-C is not its business; what is blocked here is not there.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let words = ["xdg-open", url].map { (word: String) in strdup(word) }
    defer {
      for word in words { free(word) }
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var process = pid_t()
    // Whoever ends this program reaps it.
    return posix_spawnp(&process, "xdg-open", &actions, &attributes, words + [nil], environ) == 0
  }

  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
  }
}
