/// What the description names and the code does not have yet. Both lists may only shrink: a name
/// that exists must leave.
enum APIDescriptionGaps {
  /// `Owner.name`.
  static let notYetBuilt: Set<String> = []

  /// As the description spells them.
  static let notYetInSwift: Set<String> = []
}
