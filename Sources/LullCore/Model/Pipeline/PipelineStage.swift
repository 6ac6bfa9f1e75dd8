/// The transformers of one stage, in the order they were added (PIPE-05), and its cache.
public struct PipelineStage {
  package var transformers: [any ResponseTransformer] = []
  /// Where the stage's output is kept; at most one, nil for none. (PIPE-13)
  public private(set) var cache: (any EntityCache)?
  /// What a host keeps of the cache that its script has assigned, for as long as the cache is used.
  package private(set) var cacheMark: AnyObject?

  package init() {}

  package var transformerDescriptions: [String] { transformers.map(\.description) }

  package var isEmpty: Bool { transformers.isEmpty && cache == nil }

  /// Runs after those that are there. (PIPE-05)
  public mutating func add(_ transformer: any ResponseTransformer) {
    transformers.append(transformer)
  }

  /// Removes the transformers; the cache stays. (PIPE-12)
  public mutating func removeTransformers() {
    transformers = []
  }

  /// Keeps this stage's output of GET loads in `cache`, in place of an earlier one. (PIPE-13)
  public mutating func cacheUsing(_ cache: any EntityCache) {
    cacheUsing(cache, mark: nil)
  }

  /// The same of a cache that a host's script has assigned.
  package mutating func cacheUsing(_ cache: any EntityCache, mark: AnyObject?) {
    self.cache = cache
    cacheMark = mark
  }

  /// Switches caching off at this stage; transformers stay. (PIPE-12, PIPE-13)
  public mutating func doNotCache() {
    cache = nil
    cacheMark = nil
  }
}

extension PipelineStage {
  /// How a transformer joins the others of its stage.
  public enum MutationAction: String, Sendable, CaseIterable {
    /// In place of those that are there for the same URL and method. (TRF-17, TRF-22)
    case replaceExisting = "replace"
    /// After them. (TRF-18)
    case appendToExisting = "append"
  }
}

extension PipelineStage {
  /// Adds a function that is given each response, success or failure alike, and says which one to go on
  /// with; it may wait.
  ///
  /// It runs on the home in a task of its own, once per response, never for a 304; cancelling the request
  /// cancels the task. A `RequestError` that it throws becomes the response, any other error a failure with
  /// that cause. It must not wait for the request whose response it is given. Lua:
  /// `stage:add_transformer(fn)`. (PIPE-17, AWT-09)
  ///
  ///     configuration.pipeline[.cleanup].add(description: "audit") { response in
  ///       try await audit.request("POST", text: response.description).entity()
  ///       return response
  ///     }
  ///
  /// - Parameter description: as logs and causes of errors name it.
  public mutating func add(
    description: String = "transformer of responses",
    _ transform: nonisolated(nonsending) @escaping (Response) async throws -> Response
  ) {
    add(WaitingResponseTransformer(description, transform))
  }
}

/// Names one stage; identity is by object, so two keys of the same description differ. (PIPE-10)
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
  /// As logs and Lua call it.
  public let description: String

  /// A stage of one's own, which runs where an order names it. (PIPE-04)
  public init(description: String) {
    self.description = description
  }

  /// The body as it came, before anything is made of it.
  public static let rawData = PipelineStageKey(description: "raw_data")
  /// Bytes from bytes, such as decrypted ones.
  public static let decoding = PipelineStageKey(description: "decoding")
  /// Text and JSON from bytes; the standard transformers are here.
  public static let parsing = PipelineStageKey(description: "parsing")
  /// A program's own types from these.
  public static let model = PipelineStageKey(description: "model")
  /// What is done with a result, whatever it is.
  public static let cleanup = PipelineStageKey(description: "cleanup")

  /// The default order. (PIPE-01)
  public static let standardOrder = [rawData, decoding, parsing, model, cleanup]

  public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
