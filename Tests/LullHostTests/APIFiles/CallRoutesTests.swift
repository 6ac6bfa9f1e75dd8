import LullClients
import LullCore
import Testing

/// Which call a request is for.
@Suite(.timeLimit(.minutes(20)))
struct CallRoutesTests {
  private static let calls = [
    CallRoutes.Call(.get, "/files/{path}", openPlaces: ["path"]),
    CallRoutes.Call(.get, "/files/{id}/info", openPlaces: []),
    CallRoutes.Call(.get, "/files/{id}", openPlaces: []),
    CallRoutes.Call(.put, "/files/{path}/raw", openPlaces: ["path"]),
    CallRoutes.Call(.get, "https://other.example/{x}", openPlaces: []),
  ]

  @Test(
    arguments: [
      ("GET", "https://a.example/v1/files/a", 0), ("GET", "https://a.example/v1/files/a/b/c", 0),
      ("GET", "https://a.example:443/v1/files/a/info", 1),
      ("GET", "https://A.example/v1/files/a/b/info", 0),
      ("PUT", "https://a.example/v1/files/a/b/raw", 3),
      ("PUT", "https://a.example/v1/files/a/b", nil),
      ("GET", "https://a.example/v2/files/a", nil), ("GET", "https://b.example/v1/files/a", nil),
      ("GET", "https://other.example/1", 4), ("GET", "https://a.example/v1/files", nil),
    ] as [(String, String, Int?)])
  func `SCH-22 a place of a path that takes slashes is for requests with more parts`(
    method: String, url: String, place: Int?
  ) {
    let routes = CallRoutes(
      CallRoutesTests.calls, base: ResourceURL(absolute: "https://a.example/v1/"))
    #expect(routes.call(method, url) == place)
  }
}
