import LullLibC
import LullCore
import LullTestSupport
import LullTransport
import Testing

extension TransportSuite {
  /// Programs that do not let their loop turn.
  @Suite struct StalledHomeTests {
    /// Blocks the thread when it hears of a request.
    private final class SlowObserver: ResourceObserver {
      func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        if case .requested = event { usleep(1_400_000) }
      }
    }

    private func service(_ url: String, timeout: Double) -> Service {
      let service = Service(baseURL: url)
      service.configure { $0.limits.timeout = timeout }
      return service
    }

    @Test func `NET-09 a slow observer of a request lets it time out`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let url = nginx.url
      try Lull.run { home in
        let resource = service(url, timeout: 0.2).resource("/json")
        let observer = SlowObserver()
        resource.addObserver(observer)
        let kind = await resource.load().completed().error?.cause?.kind
        withExtendedLifetime(observer) {}
        #expect(kind == "timeout")
        let other = service(url, timeout: 20).resource("/json")
        let answer = try await other.load().entity().jsonDict["answer"]?.int
        #expect(answer == 42)
      }
    }

    @Test(arguments: [false, true])
    func `NET-09 a program that computes meanwhile`(isListening: Bool) throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let url = nginx.url
      let dead = "http://127.0.0.1:\(RawSocket.freePorts(1).first ?? 1)"
      try Lull.run { home in
        let request = service(isListening ? url : dead, timeout: 0.2).resource("/json").load()
        usleep(1_400_000)
        let kind = await request.completed().error?.cause?.kind
        #expect(kind == "timeout")
        let other = service(url, timeout: 20).resource("/json")
        let answer = try await other.load().entity().jsonDict["answer"]?.int
        #expect(answer == 42)
      }
    }

    @Test func `NET-09 a load after the shutdown of its home`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let url = nginx.url
      try Lull.run { home in
        await home.shutdown()
        let response = await service(url, timeout: 0.2).resource("/json").load().completed()
        #expect(response.isCancellation)
      }
    }
  }
}
