import CLullBridge
import LullCore

extension Method {
  /// `lull.repl()`: the caller waits while a session has the loop.
  static func openSession(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.repl")
    lull_repl_link()
    let session = call.session
    guard SessionKeeper.opener != nil else { throw .message("this program has no REPL") }
    guard !session.isTaken else { throw .message("a REPL is open already") }
    try call.waits.wait(call, for: "the REPL") { done in
      session.setForeground { [unowned bridge = call.bridge, unowned loop = call.loop] in
        // After os.exit in a line nothing of the script goes on.
        if !bridge.isClosed, loop.exitCode == nil { done([], false) }
      }
      return { [unowned session] in session.withdrawForeground() }
    }
  }

  /// `lull.help([x])`
  static func printHelp(_ call: Call) {
    let text =
      call.count == 0
      ? HelpText(call.bridge.library.description).overview
      : FunctionLookup(call.bridge).helpText(call)
    if call.session.pagesHelp {
      StandardOutput.page(text)
    } else {
      StandardOutput.write(text)
    }
  }
}
