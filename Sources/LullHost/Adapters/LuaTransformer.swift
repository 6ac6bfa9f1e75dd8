import CLullBridge
import LullCore

/// A script function that converts the content of responses. (TRF-04 to TRF-16)
///
/// The function gets the content and the whole entity. If it waits, the request waits too. If the
/// request is cancelled, the function ends.
final class LuaTransformer: ContentFunction {
  /// The value of the option `input` or `output`: the name of a type, or a predicate that gets the
  /// content.
  enum TypeTest {
    case any
    case word(String)
    case predicate(StoredValue)

    var description: String {
      switch self {
      case .any: "any"
      case .word(let word): word
      case .predicate: "predicate"
      }
    }
  }

  struct Options {
    var input = TypeTest.any
    var output = TypeTest.any
    var rules = ResponseContentTransformer.Rules()

    static let keys = [
      "input", "output", "on_input_type_mismatch", "transform_errors", "content_types",
    ]
  }

  private unowned let callbacks: Callbacks
  private let function: StoredValue
  private let input: TypeTest
  private let output: TypeTest
  let description: String

  init(_ function: StoredValue, _ options: Options, _ callbacks: Callbacks) {
    self.function = function
    self.callbacks = callbacks
    input = options.input
    output = options.output
    description = "transformer at \(callbacks.stored.place(of: function.id))"
  }

  var inputName: String { input.description }

  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work? {
    let entity = callbacks.values.unshared(entity, in: run)
    let tables = OwnTables(callbacks.stored, for: run.request)
    guard try test(input, entity.content, run, tables) else { return nil }
    return { [self] report in begin(entity, tables, run, report) }
  }

  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool {
    try test(output, content, run, OwnTables(callbacks.stored, for: run.request))
  }

  private func begin(
    _ entity: Entity, _ tables: OwnTables, _ run: PipelineRun,
    _ report: @escaping (ResponseContentTransformer.Outcome) -> Void
  ) -> () -> Void {
    let request = run.request
    let service = request.resource?.service
    let context = RunContext(purpose: description, request: request) { [self] outcome in
      if let outcome = self.outcome(of: outcome, entity.content, run) { report(outcome) }
    }
    let content = callbacks.values.content(entity.content, for: request, own: tables)
    let box = EntityBox(entity, service: service, tables: tables)
    let argument = callbacks.values.of(
      box, .entity, service: service, anchor: entity.content.foreignID ?? 0)
    callbacks.coroutines.start(Callable(id: function.id), [content, argument], context)
    return { [callbacks] in callbacks.coroutines.cancel(context) }
  }

  private func test(
    _ type: TypeTest, _ content: Content, _ run: PipelineRun, _ tables: OwnTables
  ) throws(RequestError) -> Bool {
    switch type {
    case .any: return true
    case .word(let word): return content.matches(word)
    case .predicate(let function):
      let answer = callbacks.coroutines.ask(
        Callable(id: function.id),
        [callbacks.values.content(content, for: run.request, own: tables)],
        kind: "predicate of a transformer"
      ) { $0[0].isTruthy }
      switch answer {
      case .success(let isTrue): return isTrue
      case .failure(.failed(let failure)): throw error(of: failure, run)
      case .failure(.gone): return false
      }
    }
  }

  private func outcome(
    of outcome: RunOutcome, _ input: Content, _ run: PipelineRun
  ) -> ResponseContentTransformer.Outcome? {
    switch outcome {
    case .finished(let results):
      let value = results[0]
      guard value.kind != Int32(LULL_NIL) else {
        return .failed(run.failure(.transformerReturnedNil(transformer: description)))
      }
      let content: Content
      do throws(Misuse) {
        content = try callbacks.stored.content(
          value, results.state, results.index(0), strings: strings(madeOf: input))
      } catch {
        return .failed(self.error(of: callbacks.failure(error, of: function.id), run))
      }
      // The request holds the content until the request settles. Afterwards the owner of the result
      // holds the content.
      if let id = content.foreignID { callbacks.stored.hold(id, for: run.request) }
      return .content(content)
    case .failed(let failure):
      let error = error(of: failure, run)
      return failure.requestError == nil ? .failed(error) : .raised(error)
    case .gone: return .failed(run.failure(.transformerReturnedNil(transformer: description)))
    case .cancelled: return nil
    }
  }

  /// Returns whether the strings that the function returns become text or bytes. The decision must
  /// not depend on the bytes of an individual string. (TRF-96, TRF-97)
  private func strings(madeOf input: Content) -> StoredValues.StringKind {
    switch (output, input) {
    case (.word("text"), _): .text
    case (.word("data"), _), (_, .bytes): .bytes
    default: .either
    }
  }

  var makesTextOfBytes: Bool {
    if case .word("text") = output { true } else { false }
  }

  private func error(of failure: ScriptFailure, _ run: PipelineRun) -> RequestError {
    callbacks.error(of: failure, in: description, run)
  }
}

extension LuaTransformer: FunctionHolder {
  var heldFunctions: [AnyObject] {
    [function]
      + [input, output].compactMap { if case .predicate(let test) = $0 { test } else { nil } }
  }

  var functionUse: String { "\(input.description) to \(output.description)" }
}

extension Content {
  /// Returns whether the content has the type named by the option `input` or `output`.
  fileprivate func matches(_ word: String) -> Bool {
    switch (word, self) {
    case ("any", _): true
    case ("text", .text), ("data", .bytes), ("json", .json): true
    case ("table", .json(let document)):
      document.root.kind == .object || document.root.kind == .array
    case ("table", .foreign(let foreign)): foreign.typeName == "table"
    default: false
    }
  }
}
