/// A transformer that calls a function, which gets the content of a response and returns the new
/// content. The same rules apply to Swift functions and script functions. (TRF-04 to TRF-16, TRF-23
/// to TRF-25)
///
/// For each response of its content types, the transformer calls the function with the content and
/// the entity, and replaces only the content. The body of a failure is transformed only with
/// `transformErrors`. If that body can't be transformed, the failure is left unchanged. Home thread
/// only.
public final class ResponseContentTransformer: ResponseTransformer {
  package struct Rules {
    package var mismatch = InputTypeMismatchAction.error
    package var transformsErrors = false
    /// The content types that the transformer applies to; nil for all content types. (TRF-25)
    package var contentTypes: [ContentTypePattern]?

    package init() {}

    init(
      _ mismatch: InputTypeMismatchAction, _ transformsErrors: Bool, _ contentTypes: [String]?
    ) {
      self.mismatch = mismatch
      self.transformsErrors = transformsErrors
      self.contentTypes = contentTypes?.map { ContentTypePattern($0) }
    }
  }

  /// How one call of the function ended.
  package enum Outcome {
    case content(Content)
    /// The function has thrown the error that becomes the response. (TRF-14)
    case raised(RequestError)
    /// The function could not transform the content.
    case failed(RequestError)
  }

  /// A function that calls the content function once. It passes the outcome to `report` exactly
  /// once, before or after returning. It returns a function that stops the call early; nil if
  /// `report` was already called.
  package typealias Work = (_ report: @escaping (Outcome) -> Void) -> (() -> Void)?

  public let description: String
  private let rules: Rules
  private let function: any ContentFunction

  package init(_ function: any ContentFunction, rules: Rules) {
    self.function = function
    self.rules = rules
    description = function.description
  }

  /// Whether the function may return text if its input is bytes.
  var makesTextOfBytes: Bool { function.makesTextOfBytes }

  public func process(_ response: Response, in run: PipelineRun) -> Response? {
    guard let entity = content(of: response) else { return response }
    let work: Work
    do throws(RequestError) {
      guard let prepared = try function.prepare(entity, in: run) else {
        if try skips(entity.content, run) { return response }
        throw run.failure(
          .wrongInputTypeInTransformerPipeline(
            expected: function.inputName, actual: entity.content.typeName,
            transformer: description))
      }
      work = prepared
    } catch {
      return result(.failed(error), of: response, run)
    }
    return begin(work, response, run)
  }

  /// Returns the entity to transform; nil if the transformer does not apply to the response.
  private func content(of response: Response) -> Entity? {
    let entity: Entity?
    switch response.outcome {
    case .success(let success): entity = success
    // Failures are transformed only on request. (TRF-05, TRF-08)
    case .failure(let error): entity = rules.transformsErrors ? error.entity : nil
    }
    guard let entity, let patterns = rules.contentTypes else { return entity }
    let type = entity.contentType
    return patterns.contains { $0.matches(type) } ? entity : nil
  }

  private func skips(_ content: Content, _ run: PipelineRun) throws(RequestError) -> Bool {
    switch rules.mismatch {
    case .error: false
    case .skip: true
    case .skipIfOutputTypeMatches: try function.isOutput(content, in: run)
    }
  }

  private func begin(_ work: Work, _ response: Response, _ run: PipelineRun) -> Response? {
    var isInside = true
    var immediate: Response?
    let cancel = work { [self] outcome in
      let result = result(outcome, of: response, run)
      if isInside {
        immediate = result
      } else {
        run.resume(with: result)
      }
    }
    isInside = false
    if immediate == nil { run.waits(stoppingWith: cancel) }
    return immediate
  }

  private func result(
    _ outcome: Outcome, of response: Response, _ run: PipelineRun
  ) -> Response {
    switch (response.outcome, outcome) {
    case (.success(var entity), .content(let content)):
      entity.content = content
      return .success(entity, isNew: response.isNew)
    case (.success, .failed(let error)), (_, .raised(let error)): return .failure(error)
    case (.failure(var error), .content(let content)):
      // The response stays a failure. (TRF-06)
      error.entity?.content = content
      return .failure(error)
    case (.failure, .failed(let failure)):
      // If the body of a failure can't be transformed, the failure stays unchanged. (TRF-07)
      run.request.pump.log(.pipeline, "in the body of an error response: \(failure.description)")
      return response
    }
  }
}

extension ResponseContentTransformer: FunctionHolder {
  package var heldFunctions: [AnyObject] {
    (function as? any FunctionHolder)?.heldFunctions ?? []
  }

  package var functionUse: String {
    let types = rules.contentTypes.map { Set($0.map { "\($0)" }).sorted() }
    let use = (function as? any FunctionHolder)?.functionUse ?? ""
    return "\(rules.mismatch) \(rules.transformsErrors) \(types ?? ["any"]) \(use)"
  }
}

/// The function of a content transformer: a Swift function, a decoder, or a function of a script.
package protocol ContentFunction {
  /// The name of the function in the causes of errors.
  var description: String { get }
  /// The name of the input type in the causes of errors. (TRF-09)
  var inputName: String { get }
  /// Returns a call of the function with this entity. The call has not started. Returns nil if the
  /// entity's content does not have the input type.
  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work?
  /// Returns whether the content already has the function's output type.
  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool
  /// Whether the function may return text if its input is bytes.
  var makesTextOfBytes: Bool { get }
}

/// How a content transformer handles content that does not have its input type.
public enum InputTypeMismatchAction: String, Sendable, CaseIterable {
  /// The response becomes a failure with the cause `wrongInputTypeInTransformerPipeline`. (TRF-09)
  case error
  /// The response is left unchanged. (TRF-10)
  case skip
  /// The response is left unchanged if its content already has the output type. Otherwise it
  /// becomes a failure. (TRF-11, TRF-12)
  case skipIfOutputTypeMatches = "skip_if_output_type_matches"
}

/// An object that calls functions of a script or of the program. The description of the object
/// contains only the positions where the functions are defined, so it does not identify the
/// functions.
package protocol FunctionHolder {
  /// The functions, in the order in which they are called. Only the host that created these
  /// function objects can interpret them.
  var heldFunctions: [AnyObject] { get }
  /// A text that describes how the functions are called. If two holders have equal texts, they call
  /// their functions in the same way.
  var functionUse: String { get }
}
