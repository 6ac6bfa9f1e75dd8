import Foundation

/// All routes, and the list of them that people and programs can read.
enum RouteTable {
  static func make() -> [Route] {
    let state = DemoState()
    let routes =
      CollectionRoutes(state: state, name: "users", collection: \.users).all
      + CollectionRoutes(state: state, name: "notes", collection: \.notes).all
      + CollectionRoutes(state: state, name: "articles", collection: \.articles).all
      + JobRoutes(state: state).all
      + FailureRoutes(state: state).all
      + RedirectRoutes(state: state).all
      + BodyRoutes().all
      + StreamRoutes().all
      + AuthRoutes(state: state).all
      + OtherRoutes(state: state).all
    let entries = routes.map { route -> JSON in
      [
        "method": .string(route.methodText), "path": .string(route.pattern),
        "description": .string(route.summary),
      ]
    }
    let index = Route("GET", "/", "this list, with the address of the other origin") { call in
      Reply.json([
        "name": "lull-demo", "origin": .string(call.site.origin),
        "other_origin": .string(call.site.otherOrigin), "routes": .array(entries),
      ])
    }
    return [index] + routes
  }

  /// The list for the terminal.
  static func text(_ routes: [Route], site: Site) -> String {
    let width = routes.map(\.pattern.count).max() ?? 0
    let lines = routes.map { route in
      let method = route.methodText.padding(toLength: 6, withPad: " ", startingAt: 0)
      let pattern = route.pattern.padding(toLength: width, withPad: " ", startingAt: 0)
      return "  \(method)  \(pattern)  \(route.summary)"
    }
    return """
      the other origin, for redirects: \(site.otherOrigin)

      \(lines.joined(separator: "\n"))

      HEAD is served wherever GET is.
      """
  }
}
