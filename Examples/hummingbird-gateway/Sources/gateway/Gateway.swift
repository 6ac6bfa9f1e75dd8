import Hummingbird
import Logging
import LullCore
import LullTransport

/// A server in front of another one: it passes on items of that one, and asks for each of them once a
/// minute, however many ask at a time.
///
///     swift run gateway UPSTREAM_URL PORT     # then GET /items/7
@main
struct Gateway {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let port = Int(words[2]) else {
      print("usage: gateway UPSTREAM_URL PORT")
      return
    }
    let home = try Home.start()
    let logger = Logger(label: "gateway.upstream")
    await home.onExchange { event in
      logger.log(
        level: event.errorKind == nil ? .info : .warning, "exchange", metadata: event.metadata)
    }
    let catalogue = await Catalogue(baseURL: words[1], home: home)
    let router = Router()
    router.get("/items/:number") { _, context in
      try await catalogue.item(context.parameters.require("number", as: Int.self))
    }
    let application = Application(
      router: router,
      // Thousands may come at a time, faster than they are taken in.
      configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 4096),
      // Services are shut down in the reverse of their order: the server, which comes after these, first.
      services: [HomeService(home: home)])
    try await application.runService()
  }
}
