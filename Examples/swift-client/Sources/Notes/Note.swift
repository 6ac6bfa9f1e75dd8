/// A note as the sample API has it, read and written without Foundation.
public struct Note: Codable, Sendable {
  public var id: Int?
  public var title: String
  public var body: String
  public var done: Bool

  public init(title: String, body: String = "", done: Bool = false) {
    self.title = title
    self.body = body
    self.done = done
  }
}
