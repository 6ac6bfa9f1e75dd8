extension Configuration {
  /// The settings of a service of that environment: what they remember elsewhere is its own. (ENV-07)
  func kept(apart environment: String) -> Configuration {
    var settings = self
    if let own = auth?.stage?.auth(keptApart: environment) { settings.auth = own }
    if let file = options?.cookies?.file {
      settings.setOptions { $0.cookies = CookieJar(file: "\(file)@\(environment)") }
    }
    return settings
  }
}
