import LullClients
import LullCore
import LullHost

/// What an API file says at one time, as plain values: its calls, and what applies to which URL.
struct APIPicture {
  struct Setting: Hashable {
    let name: String
    /// In words, credentials masked.
    let value: String
    /// The line that sets it, and what it applies to there; nil: it is as it was built in.
    let place: String?
    /// What two of them are compared by: values, also those that are masked, and texts of functions.
    let mark: String
  }

  struct Parameter: Hashable {
    let name: String
    let text: String
  }

  struct Call {
    let name: String
    let method: RequestMethod
    let path: String
    let place: String
    /// What else it says, each by its name.
    let traits: [(name: String, text: String)]
    let parameters: [Parameter]
    /// A path that fits it.
    let sample: String
  }

  /// What is asked for: a URL, or a path below the base.
  struct Target {
    let label: String
    let method: RequestMethod
    let path: String
    /// The line of the file that names it; nil: no file does.
    var place: String?
  }

  var environments: [String] = []
  var calls: [Call] = []
  /// Settings that apply together, each list once.
  var sets: [[Setting]] = []
  /// Which of these applies to a target, in the order of the targets.
  var places: [Int] = []
  /// The first of the targets that is no URL there.
  var invalid: Target?
  /// What is of the service as a whole.
  var service: [Setting] = []
}
