import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct PipelineCacheTests {
  private func contents(_ change: (inout Pipeline) -> Void) -> [String] {
    var pipeline = Pipeline()
    for stage in [PipelineStageKey.parsing, .model] {
      pipeline[stage].add(.appending(stage.description))
      pipeline[stage].cacheUsing(SpyCache())
    }
    change(&pipeline)
    return pipeline.steps.map(\.transformer.description)
      + pipeline.caches.map { "\($0.stage) cache after \($0.stepCount)" }
  }

  @Test func `PIPE-12 transformers and caches are removed apart, or together`() {
    let transformers = ["parsing", "model"]
    let caches = ["parsing cache after 1", "model cache after 2"]
    #expect(contents { _ in } == transformers + caches)
    #expect(
      contents { $0.removeAllTransformers() } == ["parsing cache after 0", "model cache after 0"])
    #expect(contents { $0.removeAllCaches() } == transformers)
    #expect(contents { $0.clear() } == [])
    #expect(
      contents { $0[.model].removeTransformers() } == ["parsing"] + [
        "parsing cache after 1", "model cache after 1",
      ])
    #expect(contents { $0[.model].doNotCache() } == transformers + ["parsing cache after 1"])
  }

  @Test func `SCH-27 what a cache has kept behind the step that validates does not pass it again`()
  {
    var pipeline = Pipeline()
    for stage in [PipelineStageKey.decoding, .parsing, .model] {
      pipeline[stage].add(.appending(stage.description))
      pipeline[stage].cacheUsing(SpyCache())
    }
    let steps = pipeline.steps(validation: .fail)
    #expect(
      steps.map(\.transformer.description) == ["decoding", "parsing", "validation", "model"])
    #expect(pipeline.caches(validation: .fail).map(\.stepCount) == [1, 3, 4])
  }

  @Test
  func `PIPE-13 a stage has at most one cache; another replaces it, and it can be switched off`() {
    withHarness { harness in
      let journals = [Journal(), Journal()]
      for journal in journals {
        harness.service.configure { $0.pipeline[.model].cacheUsing(SpyCache(journal)) }
      }
      _ = harness.loaded("/a", .text("x"))
      #expect(
        journals.map { $0.take() } == [[], ["read model a", "write model a: x"]])
      harness.service.configure { $0.pipeline[.model].doNotCache() }
      _ = harness.loaded("/b", .text("x"))
      #expect(journals.map { $0.take() } == [[], []])
    }
  }

  @Test func `PIPE-19 in a cleared pipeline one standard parser can be added again alone`() {
    withHarness { harness in
      harness.service.configure {
        $0.pipeline.clear()
        $0.pipeline[.parsing].add(StandardTransformer.text.make())
      }
      harness.stub("GET", "/a", .text("x"))
      harness.stub("GET", "/b", .json("{}"))
      let requests = ["/a", "/b"].map { harness.service.resource($0).request("GET") }
      harness.settle()
      #expect(requests.map { $0.response?.entity?.content.typeName } == ["text", "data"])
    }
  }
}
