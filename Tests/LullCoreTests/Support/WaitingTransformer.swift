import LullCore

/// A step that answers when told.
final class WaitingTransformer: ResponseTransformer {
  let description = "waiting"
  private var waiting: (run: PipelineRun, response: Response)?
  private(set) var abandoned = 0

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    waiting = (run, response)
    run.waits { [unowned self] in abandoned += 1 }
    return nil
  }

  func resume() {
    guard let (run, response) = waiting else { return }
    waiting = nil
    run.resume(with: response)
  }
}
