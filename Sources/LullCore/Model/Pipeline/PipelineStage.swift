/// A stage of a pipeline: its transformers, in the order in which they were added (PIPE-05), and
/// its cache.
public struct PipelineStage {
  package var transformers: [any ResponseTransformer] = []
  /// The cache for the output of the stage; nil if the stage has no cache. (PIPE-13)
  public private(set) var cache: (any EntityCache)?
  /// For a cache that a script has assigned, an object of the script's host; nil for other caches.
  /// It is retained as long as the cache is used.
  package private(set) var cacheMark: AnyObject?

  package init() {}

  package var transformerDescriptions: [String] { transformers.map(\.description) }

  package var isEmpty: Bool { transformers.isEmpty && cache == nil }

  /// Adds a transformer, which runs after those already present. (PIPE-05)
  public mutating func add(_ transformer: any ResponseTransformer) {
    transformers.append(transformer)
  }

  /// Removes the transformers. The cache stays. (PIPE-12)
  public mutating func removeTransformers() {
    transformers = []
  }

  /// Sets the cache in which the output of this stage is stored for GET loads. It replaces the
  /// previous cache of the stage. (PIPE-13)
  public mutating func cacheUsing(_ cache: any EntityCache) {
    cacheUsing(cache, mark: nil)
  }

  /// Sets the cache of this stage. `mark` becomes the `cacheMark`; it belongs to the host of the
  /// script that assigned the cache.
  package mutating func cacheUsing(_ cache: any EntityCache, mark: AnyObject?) {
    self.cache = cache
    cacheMark = mark
  }

  /// Removes the cache of this stage. Transformers stay. (PIPE-12, PIPE-13)
  public mutating func doNotCache() {
    cache = nil
    cacheMark = nil
  }
}

extension PipelineStage {
  /// How a new transformer is combined with the existing transformers of its stage.
  public enum MutationAction: String, Sendable, CaseIterable {
    /// The new transformer replaces those that apply to the same URL and method. (TRF-17, TRF-22)
    case replaceExisting = "replace"
    /// The new transformer runs after the existing ones. (TRF-18)
    case appendToExisting = "append"
  }
}

extension PipelineStage {
  /// Adds an asynchronous function that gets each response, success or failure, and returns the
  /// response with which the pipeline continues.
  ///
  /// The function runs on the home in a separate task, once for each response, never for a 304.
  /// Cancelling the request cancels the task. If the function throws a `RequestError`, that error
  /// becomes the response; any other error becomes the cause of a failure. The function must not
  /// wait for the request whose response it gets. Lua: `stage:add_transformer(fn)`. (PIPE-17,
  /// AWT-09)
  ///
  ///     configuration.pipeline[.cleanup].add(description: "audit") { response in
  ///       try await audit.request("POST", text: response.description).entity()
  ///       return response
  ///     }
  ///
  /// - Parameter description: The name of the transformer in logs and in causes of errors.
  public mutating func add(
    description: String = "transformer of responses",
    _ transform: nonisolated(nonsending) @escaping (Response) async throws -> Response
  ) {
    add(WaitingResponseTransformer(description, transform))
  }
}

/// Identifies a stage. Keys are compared by object identity: two keys with the same description are
/// different. (PIPE-10)
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
  /// The name of the stage in logs and in Lua.
  public let description: String

  /// Creates the key of a custom stage. The stage runs at its position in `Pipeline.order`.
  /// (PIPE-04)
  public init(description: String) {
    self.description = description
  }

  /// The stage for the body as received. Its transformers run first.
  public static let rawData = PipelineStageKey(description: "raw_data")
  /// The stage that transforms bytes to bytes, for example by decrypting them.
  public static let decoding = PipelineStageKey(description: "decoding")
  /// The stage that parses bytes as text and JSON. It contains the standard transformers.
  public static let parsing = PipelineStageKey(description: "parsing")
  /// The stage that transforms text and JSON to types of your program.
  public static let model = PipelineStageKey(description: "model")
  /// The last stage, for work on the final result of any type.
  public static let cleanup = PipelineStageKey(description: "cleanup")

  /// The default order of stages. (PIPE-01)
  public static let standardOrder = [rawData, decoding, parsing, model, cleanup]

  public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
