import Glibc
import LullCore
import LullHost
import LullTransport

/// Lua inside a Swift program.
///
///     lull-demo &   # prints its address
///     swift run --package-path Examples/swift-embed swift-embed http://127.0.0.1:PORT
@main
struct SwiftEmbed {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      print("usage: swift-embed BASE_URL")
      exit(2)
    }
    do {
      try Lull.run { home in
        let lua = try Lua(home)
        let two: Int = try await lua.run("return 1 + 1")
        print(two)
      }
    } catch {
      print("failed:", error)
      exit(1)
    }
  }
}
