import LullClients
import LullCore
import LullHost

/// The content of an API file at one point in time, as plain values: its calls, and the settings of
/// each URL.
struct APISnapshot {
  struct Setting: Hashable {
    let name: String
    /// The value as text, with credentials masked.
    let value: String
    /// The line that sets the value, and the scope of that line. `nil`: the value is the built-in
    /// default.
    let place: String?
    /// The text by which two settings are compared. It includes masked values, and the code of
    /// functions.
    let mark: String
  }

  struct Trait {
    let name: String
    let text: String
    /// The text by which two traits are compared.
    let mark: String

    init(_ name: String, _ text: String, mark: String? = nil) {
      self.name = name
      self.text = text
      self.mark = mark ?? text
    }
  }

  struct Call {
    let name: String
    let method: RequestMethod
    /// The method whose settings apply to the call. (QUERY-08)
    let configuredMethod: RequestMethod
    let path: String
    let place: String
    /// The other properties of the call, such as its schema.
    let traits: [Trait]
    let parameters: [Trait]
    /// A path that matches the call's path.
    let sample: String
  }

  /// A URL, or a path below the base URL, whose settings are compared.
  struct Target {
    let label: String
    let method: RequestMethod
    let path: String
    /// The line of the file that names the target. `nil` if the target does not come from a file.
    var place: String?
  }

  var environments: [String] = []
  var calls: [Call] = []
  /// The distinct lists of settings. Each list holds the settings that apply to one or more
  /// targets.
  var sets: [[Setting]] = []
  /// The index in `sets` of each target's settings, in the order of the targets.
  var places: [Int] = []
  /// The first target that is not a valid URL in this API.
  var invalid: Target?
  /// The settings of the whole service.
  var service: [Setting] = []
}
