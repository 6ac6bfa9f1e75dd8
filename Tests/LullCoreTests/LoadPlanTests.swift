import LullCore
import LullTestSupport
import LullTesting
import Testing

/// The decision of a load, row by row: expiration time 30 s, retry time 1 s, and it is 1010.
@Suite(.timeLimit(.minutes(20)))
struct LoadPlanTests {
  struct Row: CustomTestStringConvertible {
    let id: String
    var known = LoadPlan.Known()
    var hasFailedConfiguration = false
    /// nil: it does not count.
    var answer: LoadPlan.Answer?
    let step: LoadPlan.Step
    let reason: LoadReason
    let log: String

    init(
      _ id: String, data: Double? = nil, error: Double? = nil, invalidated: Bool = false,
      forced: Bool = false, loading: Bool = false, followed: Bool = false, offline: Bool = false,
      url: Bool = true,
      caches: LoadPlan.Caches = .notAsked, failure: Bool = false, answer: LoadPlan.Answer? = nil,
      _ step: LoadPlan.Step,
      _ reason: LoadReason, _ log: String
    ) {
      self.id = id
      known.freshness = ResourceState.Freshness(
        dataTimestamp: data, errorTimestamp: error, isInvalidated: invalidated)
      known.isForced = forced
      known.isLoading = loading
      known.isFollowed = followed
      known.isOffline = offline
      known.hasURL = url
      known.caches = caches
      hasFailedConfiguration = failure
      self.answer = answer
      self.step = step
      self.reason = reason
      self.log = log
    }

    var testDescription: String { id }

    var plan: LoadPlan {
      var settings = Configuration()
      settings.expirationTime = answer == nil ? 30 : .http
      settings.retryTime = 1
      let configuration = ResolvedConfiguration(
        settings, failure: hasFailedConfiguration ? .failure(at: 0) : nil)
      return LoadPlan(
        known, now: 1010, configuration: configuration, condition: Self.condition,
        answer: answer ?? .isFresh(for: -1))
    }

    static let condition = ResourceState.Condition("if-none-match", "\"1\"")
  }

  private static let load = LoadPlan.Step.load(condition: Row.condition)

  static let ifNeeded = [
    Row("LOAD-15: nothing is there", load, .blank, "stale: there is neither data nor error"),
    Row(
      "LOAD-16: a load is in flight", loading: true, .join, .inProgress,
      "not loading: a load is in progress"),
    Row(
      "LOAD-31: a load in flight comes before freshness", data: 1000, loading: true, .join,
      .inProgress, "not loading: a load is in progress"),
    Row(
      "LOAD-31: and before the caches, offline and no URL", loading: true, offline: true,
      url: false,
      caches: .asked(onDisk: false), failure: true, .join, .inProgress,
      "not loading: a load is in progress"),
    Row(
      "STR-35: a stream is followed", data: 10, invalidated: true, followed: true,
      .nothing(until: .infinity), .followed, "not loading: a stream is followed"),
    Row(
      "STR-35: a load in flight comes first", loading: true, followed: true, .join, .inProgress,
      "not loading: a load is in progress"),
    Row(
      "LOAD-18: fresh data", data: 1000, .nothing(until: 1030),
      .data(at: 1000, expirationTime: 30),
      "not loading: the data is 10.0 s old, expiration time 30.0 s"),
    Row(
      "LOAD-21: data exactly at the limit", data: 980, .nothing(until: 1010),
      .data(at: 980, expirationTime: 30),
      "not loading: the data is 30.0 s old, expiration time 30.0 s"),
    Row(
      "LOAD-19: stale data", data: 910, load, .data(at: 910, expirationTime: 30),
      "stale: the data is 100.0 s old, expiration time 30.0 s"),
    Row(
      "AGE-01: data younger than its answer says", data: 1000, answer: .isFresh(for: 20),
      .nothing(until: 1000 + (20.0).nextDown), .answer(at: 1000, lifetime: 20),
      "not loading: the data is 10.0 s old, fresh for 20.0 s by its own headers"),
    Row(
      "AGE-01: data exactly as old", data: 1000, answer: .isFresh(for: 10), load,
      .answer(at: 1000, lifetime: 10),
      "stale: the data is 10.0 s old, fresh for 10.0 s by its own headers"),
    Row(
      "AGE-02: data that says nothing, however new", data: 1010, answer: .isFresh(for: 0), load,
      .answer(at: 1010, lifetime: 0),
      "stale: the data is 0.0 s old, fresh for 0.0 s by its own headers"),
    Row(
      "AGE-06: data that answers other request headers", data: 1000, answer: .isOtherVariant,
      load, .otherVariant,
      "stale: the data is for other values of the request headers that its Vary names"),
    Row(
      "AGE-03: an error, where answers are believed", data: 1000, error: 1009.5,
      answer: .isFresh(for: 0), .nothing(until: 1010.5), .error(at: 1009.5, retryTime: 1),
      "not loading: the last error is 0.5 s old, retry time 1.0 s"),
    Row(
      "LOAD-23: a recent error", error: 1009.5, .nothing(until: 1010.5),
      .error(at: 1009.5, retryTime: 1),
      "not loading: the last error is 0.5 s old, retry time 1.0 s"),
    Row(
      "LOAD-22: an error long past", error: 1000, load, .error(at: 1000, retryTime: 1),
      "stale: the last error is 10.0 s old, retry time 1.0 s"),
    Row(
      "LOAD-26: an error beside fresh data", data: 1005, error: 1008, load,
      .error(at: 1008, retryTime: 1), "stale: the last error is 2.0 s old, retry time 1.0 s"),
    Row(
      "INV-02: fresh data, invalidated", data: 1010, invalidated: true, load, .invalidated,
      "stale: it was invalidated"),
    Row(
      "LOAD-29: the caches are being asked", caches: .asked(onDisk: false), .waitForCache, .blank,
      "waiting for the cache: there is neither data nor error"),
    Row(
      "LOAD-31: fresh data comes before the caches", data: 1000, caches: .asked(onDisk: false),
      .nothing(until: 1030), .data(at: 1000, expirationTime: 30),
      "not loading: the data is 10.0 s old, expiration time 30.0 s"),
    Row(
      "CACHE-07: the caches have answered, and had nothing", caches: .haveAnswered, load, .blank,
      "stale: there is neither data nor error"),
    Row(
      "SVC-21: no URL", url: false, .fail(.noURL), .blank,
      "stale: there is neither data nor error"),
    Row(
      "LOAD-23: no URL, and that has just been said", error: 1010, url: false,
      .nothing(until: 1011), .error(at: 1010, retryTime: 1),
      "not loading: the last error is 0.0 s old, retry time 1.0 s"),
    Row(
      "a block of the configuration has raised", data: 910, failure: true, .fail(.configuration),
      .data(at: 910, expirationTime: 30),
      "stale: the data is 100.0 s old, expiration time 30.0 s"),
    Row(
      "a block has raised, and fresh data is there", data: 1000, failure: true,
      .nothing(until: 1030), .data(at: 1000, expirationTime: 30),
      "not loading: the data is 10.0 s old, expiration time 30.0 s"),
    Row(
      "offline: any data is fresh enough", data: 0, error: 1, invalidated: true, offline: true,
      .nothing(until: .infinity), .offline, "not loading: the service is offline"),
    Row(
      "offline: so is a recent error", error: 1010, offline: true, .nothing(until: 1011), .offline,
      "not loading: the service is offline"),
    Row(
      "offline: the caches are being asked", offline: true, caches: .asked(onDisk: false),
      .waitForCache, .offline,
      "waiting for the cache: the service is offline"),
    Row(
      "CACHE-04, offline: the caches are asked again", offline: true, caches: .haveAnswered,
      .answerOffline(.caches), .offline, "stale: the service is offline"),
    Row(
      "LOAD-08, offline: there is nobody to ask", offline: true, .failOffline, .offline,
      "stale: the service is offline"),
    Row(
      "offline: no URL says so", offline: true, url: false, .fail(.noURL), .offline,
      "stale: the service is offline"),
    Row(
      "offline: a block that has raised says so", offline: true, caches: .haveAnswered,
      failure: true, .fail(.configuration), .offline, "stale: the service is offline"),
  ]

  static let forced = [
    Row("LOAD-01: nothing is there", forced: true, load, .forced, "loading"),
    Row("LOAD-01: during another load", forced: true, loading: true, load, .forced, "loading"),
    Row("LOAD-01: fresh data", data: 1010, forced: true, load, .forced, "loading"),
    Row("LOAD-01: a recent error", error: 1010, forced: true, load, .forced, "loading"),
    Row(
      "CACHE-39: caches on a disk are being asked", forced: true, caches: .asked(onDisk: true),
      .loadAfterDisk, .forced, "loading"),
    Row(
      "CACHE-39: with data nobody waits for a disk", data: 1000, forced: true,
      caches: .asked(onDisk: true), load, .forced, "loading"),
    Row(
      "CACHE-39: a disk that has answered is not waited for", forced: true, caches: .haveAnswered,
      load, .forced, "loading"),
    Row(
      "the caches are being asked", forced: true, caches: .asked(onDisk: false), load, .forced,
      "loading"),
    Row("SVC-21: no URL", forced: true, url: false, .fail(.noURL), .forced, "loading"),
    Row(
      "a block has raised", forced: true, failure: true, .fail(.configuration), .forced, "loading"),
    Row(
      "offline: memory answers, whatever its age", data: 0, error: 1, invalidated: true,
      forced: true, offline: true, caches: .haveAnswered, .answerOffline(.memory), .forced,
      "loading"),
    Row(
      "offline: the caches that are being asked", forced: true, offline: true,
      caches: .asked(onDisk: false),
      .answerOffline(.caches), .forced, "loading"),
    Row(
      "CACHE-04, offline: the caches are asked again", forced: true, offline: true,
      caches: .haveAnswered, .answerOffline(.caches), .forced, "loading"),
    Row(
      "LOAD-08, offline: there is nobody to ask", forced: true, offline: true, .failOffline,
      .forced, "loading"),
    Row(
      "offline: no URL says so", forced: true, offline: true, url: false, .fail(.noURL), .forced,
      "loading"),
    Row(
      "offline: a block that has raised says so", data: 0, forced: true, offline: true,
      failure: true, .fail(.configuration), .forced, "loading"),
  ]

  @Test(arguments: ifNeeded)
  func `LOAD-31 what load_if_needed does, and why`(row: Row) {
    expect(row)
  }

  @Test(arguments: forced)
  func `LOAD-01 what load does, whatever there is`(row: Row) {
    expect(row)
  }

  private func expect(_ row: Row) {
    let plan = row.plan
    #expect(plan.step == row.step)
    #expect(plan.reason == row.reason)
    #expect(plan.logText == row.log)
  }

  @Test
  func `LOAD-16 LOAD-18 who joins asks for nothing, and who is offline with data for no settings`()
  {
    var known = LoadPlan.Known()
    known.isLoading = true
    var asked: [String] = []
    let settings = { (name: String) in
      asked.append(name)
      return ResolvedConfiguration(Configuration(), failure: nil)
    }
    let time = { (name: String) in
      asked.append(name)
      return 0.0
    }
    let condition = { (name: String) -> ResourceState.Condition? in
      asked.append(name)
      return nil
    }
    let answer = { (name: String) -> LoadPlan.Answer in
      asked.append(name)
      return .isOtherVariant
    }
    func plan() {
      _ = LoadPlan(
        known, now: time("now"), configuration: settings("configuration"),
        condition: condition("condition"), answer: answer("answer"))
    }
    plan()
    #expect(asked == [])
    known.isLoading = false
    known.isOffline = true
    known.freshness = ResourceState.Freshness(dataTimestamp: 0)
    plan()
    #expect(asked == ["now"])
    known.isOffline = false
    plan()
    #expect(asked == ["now", "configuration", "now"], "no condition where nothing is asked")
    known.isForced = true
    plan()
    #expect(asked == ["now", "configuration", "now", "configuration", "condition"])
  }

  @Test func `CFG-13 one configuration makes a load, whatever is configured while it is built`() {
    withHarness { harness in
      var decorated: [String] = []
      harness.service.configure { [unowned service = harness.service] configuration in
        configuration.mutateRequests { _ in
          service.configure { settings in
            settings.decorateRequests { _, request in
              decorated.append(request.method?.rawValue ?? "")
              return request
            }
          }
        }
      }
      let resource = harness.service.resource("/a")
      harness.stub("GET", "/a", .text("x"))
      resource.loadIfNeeded()
      harness.settle()
      #expect(resource.latestData != nil)
      #expect(decorated == [])
      resource.load()
      #expect(decorated == ["GET"])
      harness.settle()
    }
  }
}
