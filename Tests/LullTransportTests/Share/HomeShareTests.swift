import LullCore
import LullTransport
import Testing

/// Sharing as Swift programs have it.
@Suite(.timeLimit(.minutes(20)))
struct HomeShareTests {
  @Test func `SHR-32 a Swift program is told of settings that make no sense`() throws {
    let messages = try Lull.run { home in
      var messages: [String] = []
      for share in [
        Share(url: ""), Share(url: "http://host"), Share(url: "redis://h", namespace: "a b"),
        Share(url: "redis://:geheim@h", password: SecretText("geheim")),
      ] {
        do {
          try home.share(share)
        } catch {
          messages.append("\(error)")
        }
      }
      // Nothing is connected to before a limit is used.
      try home.share(Share(url: "unix:///nowhere", certificateAuthorities: "/nowhere"))
      try home.share(nil)
      return messages
    }
    #expect(messages.count == 4)
    for message in messages {
      #expect(!message.contains("geheim"))
      #expect(!message.contains("\n"))
    }
  }
}
