import Foundation
import LullArguments

/// The program: two origins on loopback, one line that says where, and then silence.
@main
enum LullDemo {
  static func main() async {
    do {
      // Before anything watches standard input: bad options must be heard of whatever comes there.
      let options = try Options(CommandLine.arguments.dropFirst())
      Lifetime.begin()
      try await serve(options)
    } catch Options.End.help {
      print(ArgumentHelp.text(of: Options.spec), terminator: "")
    } catch Options.End.misuse(let problem) {
      Lifetime.fail("\(problem)\n\n\(ArgumentHelp.text(of: Options.spec))", code: 2)
    } catch let failure as Origin.Failure {
      Lifetime.fail("\(failure)", code: 1)
    } catch {
      Lifetime.fail("cannot start: \(error)", code: 1)
    }
  }

  private static func serve(_ options: Options) async throws {
    let routes = RouteTable.make()
    let main = try Origin(port: options.port)
    let other = try Origin(port: 0)
    let site = Site(port: main.port, otherPort: other.port)
    try await main.serve(Router(routes: routes, site: site))
    try await other.serve(Router(routes: routes, site: site.swapped))

    var announcement = "lull-demo listening on \(site.origin)\n"
    if !options.isQuiet { announcement += RouteTable.text(routes, site: site) + "\n" }
    try? FileHandle.standardOutput.write(contentsOf: Data(announcement.utf8))
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }
}
