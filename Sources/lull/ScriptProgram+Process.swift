import LullClients
import LullHost
import LullSystem
import LullTransport

extension ScriptProgram {
  /// One that has this process for itself; nil, which has been told, if there is no room for it.
  ///
  /// - Parameter allowedHosts: where requests may go; nil: anywhere.
  static func ofProcess(
    trust: ScriptTrust = .full(allowsBytecode: false), limits: ScriptLimits = .init(),
    allowedHosts: AllowedHosts? = nil
  ) -> ScriptProgram? {
    if let environment = try? LoopEnvironment(ownsProcess: true, allowedHosts: allowedHosts),
      let program = ScriptProgram(
        environment: environment, library: .withClients, trust: trust, limits: limits)
    {
      return program
    }
    StandardError.write("lull: cannot start: not enough memory or descriptors\n")
    return nil
  }
}
