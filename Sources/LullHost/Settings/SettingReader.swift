package import CLullBridge
package import LullCore

/// Reads settings from Lua tables when there is no call of a script.
package struct SettingReader {
  private let call: (UnsafeMutablePointer<lull_frame>) -> Call

  /// Creates a reader.
  ///
  /// - Parameter call: creates the call in which a setting is read.
  init(_ call: @escaping (UnsafeMutablePointer<lull_frame>) -> Call) {
    self.call = call
  }

  /// Checks a value for a setting, and returns the change that the value makes to a configuration.
  /// Returns nil if no setting has that name.
  ///
  /// - Parameter index: the stack index of the value.
  package func change(
    _ name: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?,
    for service: Service
  ) throws(Misuse) -> ((inout Configuration) -> Void)? {
    guard let setting = Setting.named(name) else { return nil }
    var frame = lull_frame()
    frame.L = state
    let read = withUnsafeMutablePointer(to: &frame) { frame in
      // The frame is used only during the call.
      Result { () throws(Misuse) in
        try setting.change(
          GivenSetting(
            name: name, value: value, index: index, call: call(frame), service: service))
      }
    }
    return try read.get()
  }
}
