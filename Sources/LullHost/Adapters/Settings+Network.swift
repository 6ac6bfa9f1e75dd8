import CLullBridge
import LullCore

/// Settings that say what requests ask of the network.
extension Setting {
  func networkValue(in settings: Configuration) -> LuaValue? {
    let options = settings.options ?? TransferOptions()
    switch self {
    case .recordTimings: return .bool(options.recordsTimings)
    default: return nil
    }
  }

  func networkChange(_ call: Call, _ value: lull_value, _ index: Int32, service: Service)
    throws(Misuse) -> (inout Configuration) -> Void
  {
    switch self {
    case .recordTimings:
      let records = try flag(value)
      return { $0.setOptions { $0.recordsTimings = records } }
    default: return { _ in }
    }
  }

  private func flag(_ value: lull_value) throws(Misuse) -> Bool {
    guard let flag = LuaHost.bool(value) else { throw mustBe("true or false", value) }
    return flag
  }
}
