import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct DecoratorTests {
  @Test func `DEC-01 DEC-11 a decorator sees each request once, not started, with its resource`() {
    withHarness { harness in
      let journal = Journal()
      harness.service.configure {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          journal("\(request.method ?? "?") \(resource.url.text) \(request.state.rawValue)")
          return request
        }
      }
      let resource = harness.service.resource("/a")
      resource.request("POST")
      resource.load()
      #expect(
        journal.take() == [
          "POST https://api.test/v1/a not_started", "GET https://api.test/v1/a not_started",
        ])
      #expect(resource.allRequests.map(\.state) == [.inProgress, .inProgress])
      #expect(harness.sent == ["POST a", "GET a"])
    }
  }

  @Test func `DEC-02 DEC-14 hooks of a decorator fire before all others`() {
    withHarness { harness in
      let journal = Journal()
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          request.onSuccess { _ in journal("decorator") }
        }
      }
      harness.stub("GET", "/a", .text("x"))
      harness.service.resource("/a").request("GET").onSuccess { _ in journal("caller") }
      harness.settle()
      #expect(journal.take() == ["decorator", "caller"])
    }
  }

  @Test func `DEC-03 one that cancels gives the caller a cancelled request, and no network call`() {
    withHarness { harness in
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          request.cancel()
          return request
        }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let (plain, load) = (resource.request("GET"), resource.load())
      #expect([plain, load].map(\.causeKind) == ["request_cancelled", "request_cancelled"])
      #expect(!resource.isRequesting)
      harness.settle()
      #expect(recorder.take() == ["requested", "requestCancelled"])
      #expect(harness.sent == [])
    }
  }

  @Test
  func `DEC-04 DEC-06 STA-12 the caller and the lists get the substitute; the original rests`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/b", .text("b"))
      let other = harness.service.resource("/b")
      let substitute = Weak<Request>()
      let original = Weak<Request>()
      harness.service.configure("/a") {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          original.object = request
          let made = resource.service.resource("/b").request("GET")
          substitute.object = made
          return made
        }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      #expect(load === substitute.object)
      #expect(original.object == nil, "nobody holds what was discarded")
      #expect(resource.allRequests.map { $0 === load } == [true])
      #expect(resource.loadRequests.map { $0 === load } == [true])
      #expect(other.allRequests.map { $0 === load } == [true])
      harness.provider.release()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect([resource, other].map(\.isRequesting) == [false, false])
      #expect(other.latestData == nil)
      #expect(harness.sent == ["GET b"])
      let second = resource.load()
      second.cancel()
      #expect([resource, other].map(\.isRequesting) == [false, false], "STA-13")
      #expect(!resource.isLoading)
      harness.settle()
      #expect(recorder.take() == ["requested L D", "requestCancelled D"])
    }
  }

  @Test func `DEC-04 STA-12 STA-13 loads that decorators join to one request are one load`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("x"))
      let running = Weak<Request>()
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          if let joined = running.object, !joined.isCompleted { return joined }
          running.object = request
          return request
        }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let first = resource.load()
      #expect(resource.load() === first)
      #expect(resource.request("GET") === first)
      #expect([resource.loadRequests.count, resource.allRequests.count] == [1, 1])
      harness.provider.release()
      harness.settle()
      #expect(!resource.isRequesting)
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      resource.load()
      resource.load().cancel()
      #expect([resource.loadRequests.count, resource.allRequests.count] == [0, 0])
      harness.settle()
      #expect(recorder.take() == ["requested L D", "requestCancelled D"])
    }
  }

  @Test func `DEC-05 DEC-10 several run in order, each on what the one before returned`() {
    withHarness { harness in
      let (first, second) = (
        Resource.failedRequest(returning: .failure("1")),
        Resource.failedRequest(returning: .failure("2"))
      )
      let substitutes = [Weak<Request>(first), Weak<Request>(second)]
      let journal = Journal()
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          journal("first gets \(request.outcome)")
          return substitutes[0].object ?? request
        }
      }
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          journal("second gets \(request.outcome)")
          return substitutes[1].object ?? request
        }
      }
      #expect(harness.service.resource("/b").request("GET") === second)
      #expect(journal.take() == ["first gets not_started", "second gets 1"])
    }
  }

  struct Chain: CustomTestStringConvertible {
    let id: String
    let outcome: String
    let sent: [String]
    let event: String
    let decorate: @Sendable (Request, Resource) -> Request

    var testDescription: String { id }
  }

  static let chains = [
    Chain(
      id: "DEC-07: wrapped in a chain", outcome: "a, changed", sent: ["GET a"],
      event: "newData(network) D"
    ) { original, _ in
      original.chained { response in
        .useResponse(.success(.text("\(response.entity?.text ?? "?"), changed")))
      }
    },
    Chain(
      id: "DEC-08: begins with another, then the original", outcome: "a", sent: ["GET b", "GET a"],
      event: "newData(network) D"
    ) { original, other in
      other.request("GET").chained { _ in .passTo(original) }
    },
    Chain(
      id: "DEC-09: ends without the original", outcome: "Not found", sent: ["GET missing"],
      event: "error E"
    ) { original, other in
      other.service.resource("/missing").request("GET").chained { response in
        response.isSuccess ? .passTo(original) : .useThisResponse
      }
    },
    Chain(
      id: "DEC-06: another, the original dropped", outcome: "b", sent: ["GET b"],
      event: "newData(network) D"
    ) { _, other in other.request("GET") },
  ]

  @Test(arguments: chains)
  func `a decorator may run the original later, changed or not at all`(chain: Chain) {
    withHarness { harness in
      harness.stub("GET", "/a", .text("a"))
      harness.stub("GET", "/b", .text("b"))
      harness.stub("GET", "/missing", .init(status: 404))
      let other = harness.service.resource("/b")
      harness.service.configure("/a") {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          chain.decorate(request, resource.service.resource("/b"))
        }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      #expect(harness.sent == Array(chain.sent.prefix(1)))
      harness.settle()
      #expect(load.outcome == chain.outcome)
      #expect(recorder.take() == ["requested L", chain.event])
      #expect(resource.latestData?.text ?? resource.latestError?.userMessage == chain.outcome)
      #expect(harness.sent == chain.sent)
      #expect([resource, other].map(\.isRequesting) == [false, false])
    }
  }

  @Test func `DEC-12 repeating does not decorate again`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      harness.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          journal("decorate")
          return request
        }
      }
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      let repeated = request.repeated().start()
      harness.settle()
      #expect(repeated.outcome == "x")
      #expect(journal.take() == ["decorate"])
    }
  }

  @Test func `DEC-13 the decorators are those of the method that mutations leave`() {
    withHarness { harness in
      let journal = Journal()
      for method: RequestMethod in ["GET", "POST"] {
        harness.service.configure(requestMethods: [method]) {
          $0.decorateRequests { (_, request) throws(RequestError) in
            journal("decorator of \(method)")
            return request
          }
        }
      }
      harness.service.configure(requestMethods: ["GET"]) {
        $0.mutateRequests { (http) throws(RequestError) in http.method = "POST" }
      }
      harness.service.resource("/a").request("GET")
      #expect(journal.take() == ["decorator of POST"])
      #expect(harness.sent == ["POST a"])
    }
  }

  @Test func `DEC-15 STA-14 its hook on a load sees the lists and the state as they were`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      harness.service.configure {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          request.onCompletion { [unowned request] _ in
            journal(
              "decorator \(request.state.rawValue) \(resource.allRequests.count) "
                + "\(resource.loadRequests.count) \(resource.latestData == nil)")
          }
        }
      }
      let resource = harness.service.resource("/a")
      let owner = Owner()
      resource.addObserver(owner: owner) { resource, event in
        journal("\(event) \(resource.isLoading) \(resource.isRequesting) \(resource.text)")
      }
      resource.load().onCompletion { [unowned resource] _ in
        journal("caller \(resource.isLoading) \(resource.text)")
      }
      harness.settle()
      #expect(
        journal.take() == [
          "observerAdded false false ", "requested true true ", "decorator completed 1 1 true",
          "newData(network) false false x", "caller false x",
        ])
    }
  }

  @Test func `a decorator that throws fails the request; the original is never sent`() {
    withHarness { harness in
      harness.service.configure {
        $0.decorateRequests { (_, _) throws(RequestError) in throw .failure("no token") }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      harness.settle()
      #expect(load.outcome == "no token")
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(harness.sent == [])
    }
  }
}
