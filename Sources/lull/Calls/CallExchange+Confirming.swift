import LullLibC
import LullClients
import LullCore
import LullHost

extension CallExchange {
  /// Asks at the terminal whether a write to an environment that wants a word for it is to go out; the exit code
  /// if it is not. (ENV-14)
  func confirm(_ request: CallRequest) -> Int32? {
    guard let environment = api.environment, environment.holds(request.method),
      !options.printsCurl, !options.isDry
    else { return nil }
    let text = "\(request.method) \(LogText.url(request.resource.url.text))"
    guard !options.isConfirmed else {
      environment.isConfirmed = true
      return nil
    }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      return refuse(text, environment.name)
    }
    switch PasswordPrompt.ask("\(api.fullName): \(text)\nSend it? [y/N] ", isShown: true) {
    case .text(let answer):
      guard ["y", "yes"].contains(answer.lowercased()) else { break }
      environment.isConfirmed = true
      return nil
    case .interrupted: return 130
    case .nothing: break
    case .noTerminal: return refuse(text, environment.name)
    }
    Exit.complain("lull: not sent\n")
    return 1
  }

  private func refuse(_ text: String, _ environment: String) -> Int32 {
    Exit.complain(
      "lull: \(text) is not sent: writes to the environment '\(environment)' are confirmed at a terminal, or by "
        + "--yes\n")
    return 2
  }
}
