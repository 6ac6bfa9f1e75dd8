import LullLibC
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
    // What browsers say is not for this terminal, nor is Ctrl-C there for them. Whoever ends this
    // program reaps it.
    return
      (try? ChildProcess.start(
        ["xdg-open", url], input: .nowhere, output: .nowhere, errors: .nowhere)) != nil
  }

  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
  }
}
