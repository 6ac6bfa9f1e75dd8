extension Double {
  /// Makes a number of seconds from a duration, exact to about 16 digits.
  package init(seconds duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = Double(seconds) + Double(attoseconds) / 1e18
  }
}

extension Duration {
  /// Makes a duration of a number of seconds. Values outside the range of `Duration` become the
  /// longest or shortest duration, and NaN becomes zero.
  package init(clamping seconds: Double) {
    // Above 2^63 seconds, `Duration` can't be created from a double.
    if seconds.isNaN {
      self = .zero
    } else if abs(seconds) < 9e18 {
      self = .seconds(seconds)
    } else {
      self = Duration(secondsComponent: seconds < 0 ? .min : .max, attosecondsComponent: 0)
    }
  }
}

/// Settings whose times in seconds can also be set as a `Duration`. (SWF-162)
///
/// For each time there are two properties with the same name, one of the type `Double` and one of
/// the type `Duration`. `limits.timeout = 5`, `limits.timeout = .seconds(5)` and
/// `limits.timeout = .milliseconds(500)` all set the timeout. When the property is read, it is a
/// `Double`, unless the context requires a `Duration`.
public protocol DurationSettable {}
