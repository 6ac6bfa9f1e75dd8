import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  @Suite struct RedirectTests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness()
    }

    @Test(
      arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
        (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"),
        (303, "DELETE", "GET"), (307, "PATCH", "PATCH"), (301, "GET", "GET"), (303, "GET", "GET"),
      ] as [(Int, RequestMethod, RequestMethod)])
    func `RED-02 keeps or changes the method as browsers do`(
      _ status: Int, _ method: RequestMethod, _ expected: RequestMethod
    )
      throws
    {
      let body: [UInt8]? = method == "GET" ? nil : [1, 2, 3]
      let headers = RequestHeaders([("Content-Type", "a/b"), ("Authorization", "secret")])
      let result = try harness.send(
        HTTPRequest(method: method, url: nginx.url + "/\(status)", headers: headers, body: body))
      let keepsBody = method == expected && body != nil
      let type = expected == "GET" && method != "GET" ? "" : "a/b"
      let length = keepsBody ? "3" : ""
      #expect(
        result.text == "\(expected)|\(type)|\(length)|secret||*/*|lull/test|/echo/\(status)")
      #expect(result.response?.url == nginx.url + "/echo/\(status)")
      harness.finish()
    }

    @Test(
      arguments: [
        (301, "QUERY", "QUERY"), (302, "QUERY", "QUERY"), (303, "QUERY", "GET"),
        (307, "QUERY", "QUERY"), (308, "QUERY", "QUERY"), (301, "POST", "POST"),
        (302, "POST", "POST"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
      ] as [(Int, RequestMethod, RequestMethod)])
    func `QUERY-11 a query is repeated with its body, or its result requested by GET`(
      _ status: Int, _ method: RequestMethod, _ expected: RequestMethod
    ) throws {
      var request = HTTPRequest(
        method: method, url: nginx.url + "/\(status)",
        headers: RequestHeaders([("Content-Type", "a/b"), ("If-None-Match", "\"q\"")]),
        body: [1, 2, 3])
      request.sendsQuery = true
      let result = try harness.send(request)
      let fields = expected == method ? "a/b|3" : "|"
      #expect(result.text == "\(expected)|\(fields)|||*/*|lull/test|/echo/\(status)")
      let next = RedirectPolicy.follow(
        request, status: status, to: nginx.url + "/a", changesOrigin: false
      ).request
      // The condition is about the answer to the query, not about the resource of a GET.
      #expect(next.headers["if-none-match"] == (expected == method ? "\"q\"" : nil))
      #expect(next.body == (expected == method ? [1, 2, 3] : nil))
      harness.finish()
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `RED-03 HEAD stays HEAD`(_ status: Int) throws {
      let result = try harness.send(HTTPRequest(method: "HEAD", url: nginx.url + "/\(status)"))
      #expect(result.response?.status == 200)
      #expect(result.body == [])
      #expect(result.response?.url == nginx.url + "/echo/\(status)")
      harness.finish()
    }

    @Test func `RED-06 resolves relative locations`() throws {
      let result = try harness.get(nginx.url + "/dir/relative")
      #expect(result.response?.url == nginx.url + "/echo/a?b=c")
      harness.finish()
    }

    @Test func `RED-04 to another origin only harmless headers travel`() throws {
      let headers = RequestHeaders([
        ("Authorization", "secret"), ("X-Token", "t"), ("Accept", "a/b"), ("User-Agent", "me"),
      ])
      for path in ["/cross", "/cross-name"] {
        let result = try harness.send(
          HTTPRequest(method: "GET", url: nginx.url + path, headers: headers))
        #expect(result.text == "GET|||||a/b|me|/echo")
      }
      #expect(harness.log.count == 4)
      #expect(
        harness.log[0] == "redirect 302 \(nginx.url)/cross -> \(nginx.otherURL)/echo "
          + "(other origin: dropped authorization, x-token)")
      harness.finish()
    }

    @Test func `RED-04 to another origin a body keeps its type`() throws {
      let headers = RequestHeaders([("Content-Type", "a/b"), ("X-Token", "t")])
      let result = try harness.send(
        HTTPRequest(method: "POST", url: nginx.url + "/cross307", headers: headers, body: [1]))
      #expect(result.text == "POST|a/b|1|||*/*|lull/test|/echo")
      harness.finish()
    }

    @Test func `RED-05 credentials in the URL stay with their origin`() throws {
      let url = nginx.url.replacing("//", with: "//user:secret@")
      let basic = "Basic dXNlcjpzZWNyZXQ="
      #expect(try harness.get(url + "/302").text?.contains(basic) == true)
      #expect(try harness.get(url + "/cross").text == "GET|||||*/*|lull/test|/echo")
      // Nor do they stay behind in a curl handle that serves somebody else.
      #expect(try harness.get(nginx.url + "/echo").text == "GET|||||*/*|lull/test|/echo")
      #expect(!harness.log.joined().contains("secret"))
      harness.finish()
    }

    @Test func `RED-01 nine hops are fine`() throws {
      #expect(try harness.get(nginx.url + "/hops/9").text == #"{"answer":42}"#)
      harness.finish()
    }

    @Test func `RED-01 gives up after ten`() throws {
      let result = try harness.get(nginx.url + "/loop")
      #expect(result.error?.kind == .tooManyRedirects)
      #expect(harness.log.filter { $0.hasPrefix("redirect") }.count == 10)
      harness.finish()
    }

    @Test func `RED-07 leads only to the web`() throws {
      let result = try harness.get(nginx.url + "/ftp")
      #expect(result.error?.kind == .malformedResponse)
      #expect(result.error?.message.contains("ftp://127.0.0.1/") == true)
      harness.finish()
    }

    @Test func `RED-08 without a location it is an answer`() throws {
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil {
            connection.write("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhi")
          }
        })
      let result = try harness.get(server.url)
      #expect(result.response?.status == 302)
      #expect(result.text == "hi")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [300, 304])
    func `RED-08 choices and not modified are never followed`(_ status: Int) throws {
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil {
            connection.write("HTTP/1.1 \(status) F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
          }
        })
      let result = try harness.get(server.url)
      #expect(result.response?.status == status)
      #expect(result.body == [])
      #expect(server.requests.count == 1)
      harness.finish()
      server.stop()
    }

    @Test func `RED-09 the body of a redirect is not the answer's`() throws {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /to ") {
              connection.answer("there")
            } else {
              connection.write(
                "HTTP/1.1 302 F\r\nX-Old: 1\r\nLocation: to\r\nContent-Length: 3\r\n\r\nold")
            }
          }
        })
      let result = try harness.get(server.url + "/from")
      #expect(result.text == "there")
      #expect(result.response?.headers["x-old"] == nil)
      #expect(server.connectionCount == 1)
      harness.finish()
      server.stop()
    }

    @Test func `RED-10 one deadline covers all hops and the wait between them`() throws {
      let full = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.waitForClose()
        })
      let target = full.url
      let first = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 302 F\r\nLocation: \(target)/\r\nContent-Length: 0\r\n\r\n")
        })
      var request = HTTPRequest(method: "GET", url: target)
      request.limits.connectionsPerHost = 1
      let hanging = harness.start(request)
      request.url = first.url
      request.limits.timeout = 0.2
      let result = try harness.send(request)
      #expect(result.error?.kind == .timeout)
      #expect(full.requests.count <= 1)
      hanging.cancel()
      harness.finish()
      first.stop()
      full.stop()
    }
  }
}
