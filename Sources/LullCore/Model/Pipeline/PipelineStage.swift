/// The transformers of one stage, in the order in which they were added (PIPE-05), and its cache.
public struct PipelineStage {
  package var transformers: [any ResponseTransformer] = []
  /// The cache for the output of the stage; nil: no cache. (PIPE-13)
  public private(set) var cache: (any EntityCache)?
  /// An object that a host keeps for a cache assigned by its script, as long as the cache is used.
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

  /// Stores the output of this stage for GET loads in `cache`, which replaces an earlier one.
  /// (PIPE-13)
  public mutating func cacheUsing(_ cache: any EntityCache) {
    cacheUsing(cache, mark: nil)
  }

  /// As above, for a cache that a host's script has assigned.
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
  /// How a transformer is added to the others of its stage.
  public enum MutationAction: String, Sendable, CaseIterable {
    /// It replaces those that apply to the same URL and method. (TRF-17, TRF-22)
    case replaceExisting = "replace"
    /// It is added after them. (TRF-18)
    case appendToExisting = "append"
  }
}

extension PipelineStage {
  /// Adds a function that gets each response, success or failure, and returns the response to
  /// continue with. It may wait.
  ///
  /// It runs on the home in a separate task, once for each response, never for a 304. Cancelling
  /// the request cancels the task. If it throws a `RequestError`, that error becomes the response;
  /// any other error becomes the cause of a failure. It must not wait for the request whose
  /// response it gets. Lua: `stage:add_transformer(fn)`. (PIPE-17, AWT-09)
  ///
  ///     configuration.pipeline[.cleanup].add(description: "audit") { response in
  ///       try await audit.request("POST", text: response.description).entity()
  ///       return response
  ///     }
  ///
  /// - Parameter description: Its name in logs and in causes of errors.
  public mutating func add(
    description: String = "transformer of responses",
    _ transform: nonisolated(nonsending) @escaping (Response) async throws -> Response
  ) {
    add(WaitingResponseTransformer(description, transform))
  }
}

/// Identifies a stage. Identity is that of the object, so two keys with the same description
/// differ. (PIPE-10)
public final class PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
  /// The name in logs and in Lua.
  public let description: String

  /// A custom stage, which runs where an order names it. (PIPE-04)
  public init(description: String) {
    self.description = description
  }

  /// The body as received, before any transformer.
  public static let rawData = PipelineStageKey(description: "raw_data")
  /// Bytes to bytes, for example decryption.
  public static let decoding = PipelineStageKey(description: "decoding")
  /// Bytes to text and JSON. The standard transformers are here.
  public static let parsing = PipelineStageKey(description: "parsing")
  /// Text and JSON to types of the program.
  public static let model = PipelineStageKey(description: "model")
  /// Work on the final result, whatever it is.
  public static let cleanup = PipelineStageKey(description: "cleanup")

  /// The default order. (PIPE-01)
  public static let standardOrder = [rawData, decoding, parsing, model, cleanup]

  public static func == (left: PipelineStageKey, right: PipelineStageKey) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
