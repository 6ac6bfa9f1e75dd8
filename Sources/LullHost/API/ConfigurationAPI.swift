extension APIOwner {
  static let configuration = APIOwner.object(
    .configuration, receiver: "config",
    "What a settings function changes; valid only inside it.",
    "Its values are those that earlier entries have set. Using it later raises.",
    swift: "Configuration", entries: Setting.propertyEntries)
}
