/// A step of the pipeline that calls a function from content to content. The rules are the same for
/// functions in all languages. (TRF-04 to TRF-16, TRF-23 to TRF-25)
///
/// It takes responses of its content types, calls the function with content and entity, and
/// replaces only the content. The body of a failure is transformed only with `transformErrors`; if
/// that is not possible, the failure stays unchanged. Home thread only.
public final class ResponseContentTransformer: ResponseTransformer {
  package struct Rules {
    package var mismatch = InputTypeMismatchAction.error
    package var transformsErrors = false
    /// nil: any. (TRF-25)
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

  /// Runs the function once. Calls `report` exactly once, before or after returning. Returns a
  /// function that ends the run early.
  package typealias Work = (_ report: @escaping (Outcome) -> Void) -> (() -> Void)?

  public let description: String
  private let rules: Rules
  private let function: any ContentFunction

  package init(_ function: any ContentFunction, rules: Rules) {
    self.function = function
    self.rules = rules
    description = function.description
  }

  /// Whether the result may be text if the input is bytes.
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

  /// The entity to transform; nil if the transformer does not apply to the response.
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
      run.request.pump.log(.pipeline, "of an error's body: \(failure.description)")
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

/// The function of a content transformer, in any language.
package protocol ContentFunction {
  /// Its name in the causes of errors.
  var description: String { get }
  /// The name of the input type in the causes of errors. (TRF-09)
  var inputName: String { get }
  /// Returns a call with this entity that is ready to start; nil if its content is not of the input
  /// type.
  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work?
  /// Whether the content has the output type already.
  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool
  /// Whether the result may be text if the input is bytes.
  var makesTextOfBytes: Bool { get }
}

/// What a content transformer does with content that is not of its input type.
public enum InputTypeMismatchAction: String, Sendable, CaseIterable {
  /// The response becomes a failure with the cause `wrongInputTypeInTransformerPipeline`. (TRF-09)
  case error
  /// The response passes unchanged. (TRF-10)
  case skip
  /// The response passes unchanged if it has the output type already. Otherwise it becomes a
  /// failure. (TRF-11, TRF-12)
  case skipIfOutputTypeMatches = "skip_if_output_type_matches"
}

/// An object with functions of a script or a program. Its description says only where they are
/// defined.
package protocol FunctionHolder {
  /// The functions, in the order in which they are called. Only the host that made them knows more
  /// about them.
  var heldFunctions: [AnyObject] { get }
  /// How they are called. Equal texts mean equal use.
  var functionUse: String { get }
}
