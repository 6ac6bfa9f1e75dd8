import LullArguments
import LullCore
import LullHost
import LullSystem
import LullTransport

/// How a command line names the server by which hosts share.
enum ShareWords {
  static let arguments: [Argument] = [
    .init("--namespace", placeholder: "NAME", help: "that of lull.share; default lull"),
    .init(
      "--ca-file", placeholder: "FILE",
      help: "a PEM file of certificates to trust instead of the system's, for rediss://"),
  ]

  /// nil if neither the command line nor the environment names one.
  static func inspection(
    _ parsed: ParsedArguments, _ command: Command
  ) throws(CommandEnd) -> ShareInspection? {
    let given = parsed.text("URL")
    guard var share = given.map({ Share(url: $0) }) ?? Share.ofEnvironment else {
      for name in ["--namespace", "--ca-file"] where parsed.text(name) != nil {
        throw .wrongUsage(
          "\(name) is about a server, and none is named: give its URL, or set \(Share.variable)",
          command)
      }
      return nil
    }
    share.namespace = parsed.text("--namespace")
    if let path = parsed.text("--ca-file") {
      if let reason = ReadableFile.problem(Array(path.utf8)) {
        throw .wrongUsage("--ca-file: cannot read '\(path)': \(reason)", command)
      }
      share.certificateAuthorities = path
    }
    do throws(ShareError) {
      return try ShareInspection(share)
    } catch {
      throw .wrongUsage((given == nil ? "\(Share.variable): " : "") + "\(error)", command)
    }
  }
}
