import LullClients
import LullCore
import LullHost

/// What an API file says at one time, as plain values: its calls, and what applies to which URL.
struct APISnapshot {
  struct Setting: Hashable {
    let name: String
    /// In words, credentials masked.
    let value: String
    /// The line that sets it, and what it applies to there; nil: it is as it was built in.
    let place: String?
    /// What two of them are compared by: values, also those that are masked, and what functions do.
    let mark: String
  }

  struct Trait {
    let name: String
    let text: String
    /// What two of them are compared by.
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
    let path: String
    let place: String
    /// What else it says, each by its name.
    let traits: [Trait]
    let parameters: [Trait]
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
