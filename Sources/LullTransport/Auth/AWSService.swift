import LullCore

/// Which of Amazon's services a request is for, and where that is: both are signed.
struct AWSService: Equatable {
  var name: String
  var region: String

  /// As far as the name of the host says it.
  static func said(by host: String) -> (name: String?, region: String?) {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    if let labels = labels(of: host, below: ".on.aws"), let service = labels.last {
      // id.lambda-url.REGION
      guard isRegion(service), labels.dropLast().last == "lambda-url" else { return (nil, nil) }
      return ("lambda", service)
    }
    let ending = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"].first { host.hasSuffix($0) }
    guard let ending, var labels = labels(of: host, below: ending) else { return (nil, nil) }
    labels.removeAll { $0 == "dualstack" }
    if let place = labels.lastIndex(where: { isStorage($0) }) {
      if let region = labels[(place + 1)...].first(where: isRegion) { return ("s3", region) }
      // s3-REGION, as it was written once.
      let region = String(labels[place].dropFirst(3))
      if isRegion(region) { return ("s3", region) }
      return ("s3", labels[place] == "s3" && ending == ".amazonaws.com" ? "us-east-1" : nil)
    }
    guard let last = labels.last else { return (nil, nil) }
    if isRegion(last) { return (labels.dropLast().last.map(signingName), last) }
    // domain.REGION.es
    if let region = labels.dropLast().last, isRegion(region) { return (signingName(last), region) }
    return (signingName(last), worldwide.contains(last) ? "us-east-1" : nil)
  }

  /// Where bodies need not be signed, and paths are signed as they stand.
  var isStorage: Bool { name == "s3" || name.hasPrefix("s3-") }

  private static func labels(of host: String, below ending: String) -> [String]? {
    guard host.hasSuffix(ending) else { return nil }
    return host.dropLast(ending.count).split(separator: ".").map(String.init)
  }

  private static func isStorage(_ label: String) -> Bool {
    label == "s3" || label.hasPrefix("s3-")
  }

  /// `eu-central-1`, `us-gov-west-1`
  private static func isRegion(_ label: String) -> Bool {
    let parts = label.split(separator: "-", omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count), let first = parts.first, let last = parts.last,
      first.count == 2, (1...2).contains(last.count)
    else { return false }
    return last.allSatisfy { $0.isASCII && $0.isNumber }
      && parts.dropLast().allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isLetter } }
  }

  /// What some are signed as, whose hosts are called otherwise.
  private static func signingName(_ label: String) -> String {
    let name = label.hasSuffix("-fips") ? String(label.dropLast(5)) : label
    return names[name] ?? name
  }

  private static let names = [
    "email": "ses", "bedrock-runtime": "bedrock", "bedrock-agent": "bedrock",
    "bedrock-agent-runtime": "bedrock", "queue": "sqs",
  ]

  /// Those that are in one place only.
  private static let worldwide: Set<String> = [
    "iam", "sts", "route53", "cloudfront", "organizations", "budgets", "globalaccelerator", "waf",
  ]
}
