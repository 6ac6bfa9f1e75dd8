/// A request whose outcome was known from the start: no network, no pipeline. (HW-01 to HW-06)
public final class FixedRequest: Request {
  private let target: Resource?
  private let targetMethod: String?

  package init(
    _ response: Response, pump: Pump, resource: Resource? = nil, method: String? = nil
  ) {
    target = resource
    targetMethod = method
    super.init(pump: pump, completedWith: response)
  }

  override public var resource: Resource? { target }
  override public var method: String? { targetMethod }
  override public var url: String? { target?.url.text }
  override package var description: String {
    target == nil ? "hard-wired request" : super.description
  }
}
