import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Services of one's own.
  @Suite(.timeLimit(.minutes(20))) struct ServiceSubclassTests {
    final class Songs: Service {
      init(home: isolated Home) {
        super.init(baseURL: "https://api.test", surroundings: home.surroundings)
      }
    }

    final class Plain: Service {
      init() {
        super.init(
          baseURL: "https://api.test", standardTransformers: [.text], surroundings: .current)
      }
    }

    @Test func `SVC-38 a subclass with an initialiser of its own takes both from the home`() throws
    {
      let journal = Journal()
      try Lull.run { home in
        let songs = Songs(home: home)
        #expect(songs.networking === Service().networking && songs.pump === home.pump)
        #expect(Plain().networking === songs.networking)
        songs.resource("/a").load().onFailure { journal($0.userMessage) }
      }
      #expect(journal.lines == ["Request cancelled"])
    }
  }
}
