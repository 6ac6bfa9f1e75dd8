import ArgumentParser
import Glibc
import LullTransport

/// `lull demo`: becomes `lull-demo`, the sample API.
struct Demo: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve the sample API on loopback until Ctrl-C.",
    discussion: "Prints its URL and its routes. Scripts start it themselves with lull.demo().")

  @Option(help: "The port; 0 takes a free one.")
  var port: Int = 0

  func run() throws {
    guard let path = DemoServer.find() else {
      throw ValidationError("lull-demo was not found beside lull or on the PATH")
    }
    let words = [path, "--port", String(port)].map { (word: String) in strdup(word) }
    execv(path, words + [nil])
    throw ValidationError("cannot start \(path): \(String(cString: strerror(errno)))")
  }
}
