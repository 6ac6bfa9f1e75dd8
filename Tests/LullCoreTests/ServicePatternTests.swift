import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ServicePatternTests {
  @Test func `CFG-20 a string configures what matches it as a wildcard under the base`() {
    withHarness { harness in
      let service = harness.service
      service.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
      service.configure("/**", requestMethods: ["POST"], description: "auth") {
        $0.headers["X"] = "1"
      }
      let status = service.resource("/volcanos/4/status")
      #expect(status.configuration.expirationTime == 0.5)
      #expect(status.configuration.headers["x"] == nil)
      #expect(status.configuration(for: "POST").headers["x"] == "1", "CFG-07")
      #expect(service.resource("/volcanos/4").configuration.expirationTime == 30)
    }
  }

  @Test func `CFG-05 a resource configures its own URL and is not kept by that`() {
    withHarness { harness, leakCheck in
      harness.service.configure(leakCheck.watch(harness.service.resource("/a"))) {
        $0.retryTime = 9
      }
      #expect(leakCheck.leaks.contains("Resource") == false)
      #expect(harness.service.resource("/a").configuration.retryTime == 9)
      #expect(harness.service.resource("/b").configuration.retryTime == 1)
    }
  }

  @Test func `WIPE-09 to WIPE-12 a string wipes what matches it`() {
    withHarness { harness in
      let users = harness.loaded("/users/1")
      let notes = harness.loaded("/notes/1")
      harness.service.wipeResources(matching: "/users/*")
      #expect(users.latestData == nil)
      #expect(notes.text == "data")
    }
  }

  @Test func `INV-01 a string invalidates what matches it`() {
    withHarness { harness in
      let users = harness.loaded("/users/1")
      let notes = harness.loaded("/notes/1")
      harness.service.invalidateResources(matching: "/users/*")
      #expect(!users.isUpToDate)
      #expect(notes.isUpToDate)
    }
  }
}
