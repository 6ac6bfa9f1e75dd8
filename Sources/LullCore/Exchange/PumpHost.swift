/// Who mirrors the model elsewhere, as far as exchanges go: bodies, and what of the host's responses hold.
///
/// What the higher floors tell it stands there: `RequestHost`, `ModelHost`.
package protocol PumpHost: AnyObject {
  /// A body of that many bytes has arrived and is now kept by whoever keeps the response.
  func bodyArrived(byteCount: Int)
  /// Unused resources are about to be forgotten: lets go of what only garbage holds.
  func releaseGarbage()
  /// Keeps what the response holds of the host's until the result is called; nil if it holds nothing.
  func hold(_ response: Response) -> (() -> Void)?
}

extension PumpHost {
  package func bodyArrived(byteCount: Int) {}
  package func releaseGarbage() {}
  package func hold(_ response: Response) -> (() -> Void)? { nil }
}

/// Where a pump has its host, which each floor finds here as what it knows: a subclass each, so that none
/// has to know what stands above it.
package class HostSlot {
  package final let pumpHost: any PumpHost

  init(pumpHost: any PumpHost) { self.pumpHost = pumpHost }
}
