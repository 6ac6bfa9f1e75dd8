package import CLullBridge
package import LullCore

/// Reads settings out of tables that no call was given.
package struct SettingReader {
  private let call: (UnsafeMutablePointer<lull_frame>) -> Call

  /// - Parameter call: what a setting is read in.
  init(_ call: @escaping (UnsafeMutablePointer<lull_frame>) -> Call) {
    self.call = call
  }

  /// What giving a setting a value changes, checked; nil if there is no setting of that name.
  ///
  /// - Parameter index: where the value is on the stack.
  package func change(
    _ name: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?,
    for service: Service
  ) throws(Misuse) -> ((inout Configuration) -> Void)? {
    guard let setting = Setting.named(name) else { return nil }
    var frame = lull_frame()
    frame.L = state
    let read = withUnsafeMutablePointer(to: &frame) { frame in
      // It is used during the call only.
      Result { () throws(Misuse) in
        try setting.change(
          GivenSetting(
            name: name, value: value, index: index, call: call(frame), service: service))
      }
    }
    return try read.get()
  }
}
