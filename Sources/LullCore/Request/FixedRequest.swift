/// A request whose outcome was known from the start: no network, no pipeline. (HW-01 to HW-06)
public final class FixedRequest: Request {
  private let purpose: (any RequestTarget)?
  private let targetMethod: RequestMethod?

  package init(
    _ response: Response, pump: Pump, target: (any RequestTarget)? = nil,
    method: RequestMethod? = nil
  ) {
    purpose = target
    targetMethod = method
    super.init(pump: pump, completedWith: response)
  }

  override package var target: (any RequestTarget)? { purpose }
  override public var method: RequestMethod? { targetMethod }
  override public var url: String? { target?.address }
  override package var displayName: String {
    target == nil ? "hard-wired request" : super.displayName
  }
}
