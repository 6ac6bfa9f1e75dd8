import LullCore

/// A value of an HTTP Archive that is read, and where it stands.
struct HARNode {
  private let element: JSONElement
  private let pointer: String

  init(_ root: JSONElement) { self.init(root, at: "") }

  private init(_ element: JSONElement, at pointer: String) {
    self.element = element
    self.pointer = pointer
  }

  func problem(_ text: String) -> HARError { HARError(pointer: pointer, problem: text) }

  /// nil where it is missing or null.
  func member(_ name: String) -> HARNode? {
    guard let value = element[name], !value.isNull else { return nil }
    return HARNode(value, at: "\(pointer)/\(name)")
  }

  func needed(_ name: String) throws(HARError) -> HARNode {
    guard let node = member(name) else {
      throw problem(
        element.kind == .object ? "'\(name)' is missing" : "an object with '\(name)' is expected")
    }
    return node
  }

  var elements: [HARNode] {
    get throws(HARError) {
      guard element.kind == .array else { throw problem("an array is expected") }
      return element.elements.enumerated().map { HARNode($1, at: "\(pointer)/\($0)") }
    }
  }

  var string: String? { element.string }

  var isTrue: Bool { element.bool == true }

  var neededString: String {
    get throws(HARError) {
      guard let string = element.string else { throw problem("a string is expected") }
      return string
    }
  }

  func number() throws(HARError) -> Double {
    guard let number = element.double else { throw problem("a number is expected") }
    return number
  }

  /// In seconds since 1970.
  func moment() throws(HARError) -> Double {
    let text = try neededString
    do throws(ISODate.Problem) {
      let moment = try ISODate.parse(text.utf8)
      return Double(moment.seconds) + (moment.fraction ?? 0)
    } catch {
      throw problem("'\(text)' is no date: \(error.reason)")
    }
  }

  func base64() throws(HARError) -> [UInt8] {
    let text = try neededString
    do throws(Base64.Problem) {
      return try Base64.decode(Array(text.utf8))
    } catch {
      throw problem("this is no base64: \(error.message)")
    }
  }
}
