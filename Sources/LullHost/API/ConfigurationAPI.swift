import CLullBridge
import LullCore

extension APIOwner {
  static let configuration = APIOwner.object(
    .configuration, receiver: "config",
    "The configuration that a settings function changes; valid only inside that function.",
    """
    The object has the values that earlier configuration entries have set. Using it after the \
    settings function has returned raises an error.
    """,
    swift: "Configuration", described: Setting.propertyEntries,
    lookup: [
      .hidden("mutate_requests", "f") { call throws(Misuse) in
        try add("mutate_requests", call)
      },
      .hidden("decorate_requests", "f") { call throws(Misuse) in
        try add("decorate_requests", call)
      },
      .hidden("__index") { call throws(Misuse) in
        let box = try configuration(call)
        let setting = try field(called: call.raw(1).text ?? "")
        if case .object(let object) = setting.access { return call.return(object(call, box)) }
        call.return(setting.value(box.settings) ?? .nil)
      },
      .hidden("__newindex") { call throws(Misuse) in
        let box = try configuration(call)
        do throws(Misuse) {
          try assign(call, box)
        } catch {
          guard let checker = call.permissions.checker, let place = call.place else { throw error }
          // The checker records the error and continues, so that it sees the other fields too.
          checker.note(error.text, at: place)
        }
      },
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string("Configuration"))
      },
    ])
}

extension APIOwner {
  private static func configuration(_ call: Call) throws(Misuse) -> ConfigurationBox {
    try call.selfObject(.configuration, as: ConfigurationBox.self).open()
  }

  private static func given(
    _ setting: Setting, _ call: Call, _ position: Int, _ box: ConfigurationBox
  ) -> GivenSetting {
    GivenSetting(
      name: setting.name, value: call.raw(position), index: call.index(position), call: call,
      service: box.service)
  }

  /// Implements `configuration:name(value)`.
  private static func add(_ name: String, _ call: Call) throws(Misuse) {
    let box = try configuration(call)
    let setting = try setting(called: name)
    let change = try setting.change(given(setting, call, 1, box))
    change(&box.settings)
    call.returnSelf()
  }

  private static func setting(called name: String) throws(Misuse) -> Setting {
    guard let setting = Setting.named(name) else {
      throw .unknownSetting(name, among: Setting.names)
    }
    return setting
  }

  /// Returns the setting with that name. Throws if the setting does not exist, or if scripts set it
  /// by calling a method.
  private static func field(called name: String) throws(Misuse) -> Setting {
    let setting = try setting(called: name)
    guard !setting.isMethod else { throw .unknownSetting(name, among: Setting.names) }
    return setting
  }

  /// Implements `configuration.name = value`.
  private static func assign(_ call: Call, _ box: ConfigurationBox) throws(Misuse) {
    let name = call.raw(1).text ?? ""
    let setting = try field(called: name)
    try call.raw(2).requireText("'\(name)'")
    let change = try setting.change(given(setting, call, 2, box))
    // The old value is cleared last, so that an invalid new value changes nothing.
    setting.clear?(&box.settings)
    change(&box.settings)
  }
}
