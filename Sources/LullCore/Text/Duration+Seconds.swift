extension Double {
  /// The seconds of a duration. Exact to about 16 digits.
  package init(seconds duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = Double(seconds) + Double(attoseconds) / 1e18
  }
}

extension Duration {
  /// That many seconds: what no duration has is the longest or shortest there is, and NaN is none.
  package init(clamping seconds: Double) {
    // A duration is made of a double up to 2^63 seconds.
    if seconds.isNaN {
      self = .zero
    } else if abs(seconds) < 9e18 {
      self = .seconds(seconds)
    } else {
      self = Duration(secondsComponent: seconds < 0 ? .min : .max, attosecondsComponent: 0)
    }
  }
}

/// A type of settings whose times are seconds and may be given as a `Duration` too. (SWF-162)
///
/// Each time has a second property of the same name: `limits.timeout = 5`, `limits.timeout = .seconds(5)` and
/// `limits.timeout = .milliseconds(500)` all set it. Where nothing asks for a duration, it is read as a `Double`.
public protocol DurationSettable {}
