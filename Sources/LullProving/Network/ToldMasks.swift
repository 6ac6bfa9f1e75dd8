import LullCore

/// Masks of the secrets that servers were sent while a test was recorded, each with whose secret it is.
struct ToldMasks {
  private struct Owner {
    let environment: String?
    let source: Secret.Source
  }

  private var places: [CassetteClaim: Set<String>] = [:]
  private var owners: [String: [Owner]] = [:]

  /// Notes those of a request; all that its server knows in its environment.
  mutating func note(_ request: HTTPRequest) -> [String] {
    let claim = CassetteClaim(url: request.url, environment: request.environment)
    for secret in request.secretTexts.flatMap(\.secrets) {
      places[claim, default: []].insert(secret.mask)
      let isKnown = owners[secret.mask]?.contains {
        $0.environment == request.environment && $0.source == secret.source
      }
      guard isKnown != true else { continue }
      owners[secret.mask, default: []].append(
        Owner(environment: request.environment, source: secret.source))
    }
    return (places[claim] ?? []).sorted()
  }

  /// Whether it stands for one secret in one environment, and for another one in another. (ENV-18)
  func isOfSeveral(_ mask: String) -> Bool {
    guard let owners = owners[mask], let first = owners.first else { return false }
    return owners.contains { $0.environment != first.environment && $0.source != first.source }
  }
}
