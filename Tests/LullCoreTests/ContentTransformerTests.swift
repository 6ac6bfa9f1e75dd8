import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ContentTransformerTests {
  struct Model: Sendable, Equatable {
    var name: String

    init(_ name: String) { self.name = name }
  }

  struct Flaw: Error, Equatable {
    var number: Int
  }

  /// The resource after a load whose answers are those given, by default the text "ada".
  private func loaded(
    _ answer: StubProvider.Answer = .text("ada"), method: RequestMethod = "GET",
    _ configure: (Service) -> Void
  ) -> (data: Entity?, error: RequestError?) {
    var result: (data: Entity?, error: RequestError?)
    withHarness { harness in
      configure(harness.service)
      harness.stub(method, "/a", answer)
      let resource = harness.service.resource("/a")
      resource.load(using: resource.request(method))
      harness.settle()
      result = (resource.latestData, resource.latestError)
    }
    return result
  }

  private static let failing = StubProvider.Answer(
    status: 500, headers: [("Content-Type", "text/plain")], body: "ada")

  // MARK: Content

  @Test
  func
    `TRF-04 TRF-23 text becomes the model; the function sees the entity and changes content only`()
  {
    var seen: [String] = []
    let (data, _) = loaded { service in
      service.configureTransformer("/a") { (text: String, entity) in
        seen.append("\(text) \(entity.contentType)")
        return Model(text)
      }
    }
    #expect(data?.typedContent() == Model?.some(Model("ada")))
    #expect(data?.contentType == "text/plain; charset=utf-8")
    #expect(seen == ["ada text/plain; charset=utf-8"])
  }

  @Test func `JSON comes as the type the function asks for`() {
    let answer = StubProvider.Answer.json(#"{"name":"ada"}"#)
    let byValue = loaded(answer) { service in
      service.configureTransformer { (user: [String: JSONValue], _) in
        user["name"]?.string.map { Model($0) }
      }
    }
    #expect(byValue.data?.typedContent() == Model?.some(Model("ada")))
    let byView = loaded(answer) { service in
      service.configureTransformer { (user: JSONElement, _) in user["name"] }
    }
    #expect(byView.data?.typedContent() == "ada")
    let byStandardTypes = loaded(answer) { service in
      service.configureTransformer { (user: [String: String], _) in Array(user.values) }
    }
    #expect(byStandardTypes.data?.typedContent() == ["ada"])
  }

  @Test func `TRF-24 Content is any content`() {
    let types = [StubProvider.Answer.text("x"), .json("1"), .bytes([1], type: "a/b")].map {
      answer in
      loaded(answer) { service in
        service.configureTransformer { (content: Content, _) in content.typeName }
      }.data?.typedContent() ?? "none"
    }
    #expect(types == ["text", "json", "data"])
  }

  @Test func `TRF-03 a 304 is not transformed again`() {
    withHarness { harness in
      var calls = 0
      harness.service.configureTransformer { (text: String, _) in
        calls += 1
        return Model(text)
      }
      harness.stub("GET", "/a", .text("ada"), StubProvider.Answer(status: 304))
      let resource = harness.service.resource("/a")
      for _ in 1...2 {
        resource.load()
        harness.settle()
      }
      #expect(calls == 1)
      #expect(resource.typedContent() == Model?.some(Model("ada")))
    }
  }

  // MARK: Failures

  @Test
  func `TRF-05 TRF-06 bodies of failures are transformed only when asked for, and stay failures`() {
    for transformErrors in [false, true] {
      let (data, error) = loaded(Self.failing) { service in
        service.configureTransformer("/a", transformErrors: transformErrors) { (text: String, _) in
          Model(text)
        }
      }
      #expect(data == nil)
      #expect(error?.httpStatusCode == 500)
      #expect(error?.text == (transformErrors ? "" : "ada"))
      #expect(error?.typedContent() == (transformErrors ? Model("ada") : nil))
    }
  }

  @Test
  func `TRF-07 TRF-08 a failure whose body cannot be transformed, or is none, stays as it was`() {
    let wrong = loaded(Self.failing) { service in
      service.configureTransformer("/a", transformErrors: true) { (_: Model, _) in "never" }
    }
    #expect(wrong.error?.text == "ada")
    #expect(wrong.error?.cause == nil)
    let none = loaded(.failure(TransportError(.network, "down"))) { service in
      service.configureTransformer("/a", transformErrors: true) { (_: Content, _) in "never" }
    }
    #expect(none.error?.userMessage == "down")
    #expect(none.error?.entity == nil)
  }

  @Test
  func
    `TRF-09 TRF-16 content of another type is a failure that names both types and keeps the body`()
  {
    let (_, error) = loaded { service in
      service.configureTransformer("/a", description: "model maker") { (_: Model, _) in "never" }
    }
    guard
      case .wrongInputTypeInTransformerPipeline(let expected, let actual, let transformer)? =
        error?.cause
    else {
      Issue.record("the cause is \(String(describing: error?.cause))")
      return
    }
    #expect([expected, actual, transformer] == ["Model", "text", "model maker"])
    #expect(error?.userMessage == "Cannot parse server response")
    #expect(error?.httpStatusCode == 200)
    #expect(error?.typedContent() == Array("ada".utf8))
  }

  @Test func `TRF-10 to TRF-12 a mismatch may pass, or pass only what is of the output type`() {
    let skipped = loaded { service in
      service.configureTransformer("/a", onInputTypeMismatch: .skip) { (_: Model, _) in "never" }
    }
    #expect(skipped.data?.text == "ada")
    func sometimesSkipped(_ answer: StubProvider.Answer) -> (data: Entity?, error: RequestError?) {
      loaded(answer) { service in
        service.configureTransformer("/a", onInputTypeMismatch: .skipIfOutputTypeMatches) {
          (_: Model, _) in "never"
        }
      }
    }
    #expect(sometimesSkipped(.text("ada")).data?.text == "ada")
    #expect(
      sometimesSkipped(.bytes([1], type: "a/b")).error?.cause?.kind
        == "wrong_input_type_in_transformer_pipeline")
  }

  @Test func `TRF-13 to TRF-16 what the function throws or fails to return fails the response`() {
    let thrown = loaded { service in
      service.configureTransformer("/a") { (_: String, _) -> Model? in throw Flaw(number: 7) }
    }.error
    #expect(thrown?.userMessage == "Cannot parse server response")
    #expect(thrown?.httpStatusCode == 200)
    #expect(thrown?.typedContent() == Array("ada".utf8))
    if case .custom(let flaw as Flaw)? = thrown?.cause {
      #expect(flaw == Flaw(number: 7))
    } else {
      Issue.record("the cause is \(String(describing: thrown?.cause))")
    }

    let raised = loaded { service in
      service.configureTransformer("/a") { (_: String, _) -> Model? in
        throw RequestError(userMessage: "Not this one", httpStatusCode: 422)
      }
    }.error
    #expect(raised?.userMessage == "Not this one")
    #expect(raised?.httpStatusCode == 422)
    #expect(raised?.entity == nil)

    let missing = loaded { service in
      service.configureTransformer("/a") { (_: String, _) -> Model? in nil }
    }.error
    #expect(missing?.cause?.kind == "transformer_returned_nil")
    #expect(missing?.httpStatusCode == 200)
  }

  // MARK: Where it applies

  @Test
  func `TRF-17 TRF-18 TRF-22 a second one replaces the first where it matches, or follows it`() {
    for (action, expected) in [
      (PipelineStage.MutationAction.replaceExisting, "ada2"), (.appendToExisting, "ada12"),
    ] {
      let (data, _) = loaded { service in
        service.configureTransformer("/**") { (text: String, _) in text + "1" }
        service.configureTransformer("/a", action: action) { (text: String, _) in text + "2" }
        service.configureTransformer("/b") { (text: String, _) in text + "3" }
        service.configureTransformer("/a", requestMethods: ["POST"]) { (text: String, _) in
          text + "4"
        }
      }
      #expect(data?.text == expected)
    }
  }

  @Test func `TRF-19 the stage decides what the function sees`() {
    let (data, _) = loaded { service in
      service.configureTransformer("/a", atStage: .cleanup) { (text: String, _) in text + "!" }
      service.configureTransformer("/a", atStage: .rawData) { (bytes: [UInt8], _) in
        bytes + Array("?".utf8)
      }
    }
    #expect(data?.text == "ada?!")
  }

  @Test(arguments: ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"] as [RequestMethod])
  func `TRF-20 TRF-21 without methods it is for all but HEAD and OPTIONS`(method: RequestMethod) {
    let usual = loaded(method: method) { service in
      service.configureTransformer { (text: String, _) in text + "!" }
    }
    #expect(usual.data?.text == (method == "OPTIONS" ? "ada" : "ada!"))
    let chosen = loaded(method: method) { service in
      service.configureTransformer(requestMethods: ["PUT", "POST"]) { (text: String, _) in
        text + "!"
      }
    }
    #expect(chosen.data?.text == (["PUT", "POST"].contains(method) ? "ada!" : "ada"))
  }

  @Test func `TRF-25 TRF-30 limited to content types it leaves all other responses alone`() {
    func text(_ answer: StubProvider.Answer) -> String {
      let (data, error) = loaded(answer) { service in
        service.configureTransformer(contentTypes: ["text/x-*", "a/b"], transformErrors: true) {
          (text: String, _) in text + "!"
        }
      }
      return data?.text ?? error?.text ?? ""
    }
    #expect(text(.text("ada", type: "text/x-name; charset=utf-8")) == "ada!")
    #expect(text(.text("ada", type: "text/plain")) == "ada")
    #expect(text(Self.failing) == "ada")
    #expect(text(.failure(TransportError(.network, "down"))) == "")
  }

  @Test func `a transformer made by hand joins a stage like any other`() {
    let (data, _) = loaded { service in
      service.configure { configuration in
        configuration.pipeline[.cleanup].add(
          ResponseContentTransformer { (text: String, _) in text.uppercased() })
      }
    }
    #expect(data?.text == "ADA")
  }
}
