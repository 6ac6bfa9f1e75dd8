/// A step of the pipeline made of a function from content to content: the rules such a function
/// lives by, in whatever language it is written. (TRF-04 to TRF-16, TRF-23 to TRF-25)
///
/// It takes responses of its content types, gives the function content and entity, and replaces the
/// content, nothing else. A failure's body it touches only if it transforms errors: what then cannot
/// be transformed leaves the failure as it was. Home thread only.
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
    /// The function says itself what the response shall be. (TRF-14)
    case raised(RequestError)
    /// It could not do it.
    case failed(RequestError)
  }

  /// Begins one call, which reports once, inside or later, and returns what ends it early.
  package typealias Work = (_ report: @escaping (Outcome) -> Void) -> (() -> Void)?

  public let description: String
  private let rules: Rules
  private let function: any ContentFunction

  package init(_ function: any ContentFunction, rules: Rules) {
    self.function = function
    self.rules = rules
    description = function.description
  }

  /// Whether the result for bytes may be text.
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

  /// What the function may see of the response; nil if the response is none of its business.
  private func content(of response: Response) -> Entity? {
    let entity: Entity?
    switch response.outcome {
    case .success(let success): entity = success
    // TRF-05, TRF-08
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
      // The outcome stays a failure. (TRF-06)
      error.entity?.content = content
      return .failure(error)
    case (.failure, .failed(let failure)):
      // TRF-07
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

/// The function of a content transformer, in one language.
package protocol ContentFunction {
  /// As error causes name it.
  var description: String { get }
  /// The input type, as error causes name it. (TRF-09)
  var inputName: String { get }
  /// One call with this entity, ready to begin; nil if its content is not of the input type.
  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work?
  /// Whether content is of the output type already.
  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool
  /// Whether the result for bytes may be text.
  var makesTextOfBytes: Bool { get }
}

/// What a content transformer does with content that is not of its input type.
public enum InputTypeMismatchAction: String, Sendable, CaseIterable {
  /// The response becomes a failure with the cause `wrongInputTypeInTransformerPipeline`. (TRF-09)
  case error
  /// The response passes unchanged. (TRF-10)
  case skip
  /// It passes unchanged if it is of the output type already, and is an error else. (TRF-11, TRF-12)
  case skipIfOutputTypeMatches = "skip_if_output_type_matches"
}

/// What has functions of a script, or of a program, in it: descriptions say where they are, not what they do.
package protocol FunctionHolder {
  /// In the order in which they are asked. What they do is known to whoever has made them.
  var heldFunctions: [AnyObject] { get }
  /// How they are asked, the same words for the same.
  var functionUse: String { get }
}
