import Testing

extension Trait where Self == ConditionTrait {
  /// For tests that measure: they run the release build, which `Scripts/test` makes.
  static var measuringRelease: Self {
    .enabled(
      if: Binaries.released != nil,
      "needs the release build: run Scripts/lull once, or name the program in LULL_TEST_RELEASE")
  }
}
