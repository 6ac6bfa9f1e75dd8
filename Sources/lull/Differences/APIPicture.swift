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
    /// What two of them are compared by: values, also those that are masked, and what functions do.
    var mark: Mark

    init(name: String, value: String, place: String?, mark: Mark) {
      self.name = name
      self.value = value
      self.place = place
      self.mark = mark
    }

    init(name: String, value: String, place: String?, mark: String) {
      self.init(name: name, value: value, place: place, mark: Mark(mark))
    }
  }

  struct Trait {
    let name: String
    let text: String
    /// What two of them are compared by.
    var mark: Mark

    init(_ name: String, _ text: String, mark: Mark? = nil) {
      self.name = name
      self.text = text
      self.mark = mark ?? Mark(text)
    }

    init(_ name: String, _ text: String, mark: String) {
      self.init(name, text, mark: Mark(mark))
    }
  }

  /// The same for the same.
  struct Mark: Hashable {
    var text: String
    /// Of functions, what they do; nil: there are none.
    var parts: [Int]?

    init(_ text: String, parts: [Int]? = nil) {
      self.text = text
      self.parts = parts
    }
  }

  struct Call {
    let name: String
    let method: RequestMethod
    let path: String
    let place: String
    /// What else it says, each by its name.
    var traits: [Trait]
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
  /// Whether all that functions use has been looked at.
  var isWhole = true
  /// What is of the service as a whole.
  var service: [Setting] = []
}
