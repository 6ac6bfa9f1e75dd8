import CLullBridge
import LullCore

extension Method {
  /// `lull.repl()`: the caller waits while a session has the loop.
  static func openSession(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.repl")
    lull_repl_link()
    guard let open = SessionKeeper.opener else { throw .message("this program has no REPL") }
    let session = call.session
    guard !session.isTaken else { throw .message("a REPL is open already") }
    try call.waits.wait(call, for: "the REPL") { done in
      session.setForeground { [unowned host = call.host] in
        _ = open(host)
        // After os.exit in a line nothing of the script goes on.
        if !host.bridge.isClosed, host.loop.exitCode == nil { done([], false) }
      }
      return { [unowned session] in session.withdrawForeground() }
    }
  }

  /// `lull.help([x])`
  static func printHelp(_ call: Call) {
    let text = call.count == 0 ? HelpText.overview : FunctionLookup(call.bridge).helpText(call)
    StandardOutput.write(text)
  }
}
