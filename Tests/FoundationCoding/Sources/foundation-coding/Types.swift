// What is read and written: one type for each thing that coding can do.

import Foundation

struct User: Codable, Equatable {
  struct Address: Codable, Equatable {
    var street: String
    var number: Int8?
  }
  enum Role: String, Codable { case admin, guest }

  var name: String
  var age: Int?
  var role: Role?
  var address: Address?
  var tags: [String]?
}

struct Tree: Codable, Equatable {
  var name: String
  var children: [Tree]?
}

enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(Int, side: Double?)
  case none
}

struct Renamed: Codable, Equatable {
  var firstName: String
  enum CodingKeys: String, CodingKey { case firstName = "first_name" }
}

/// Nested containers of all kinds, by hand.
struct Nested: Codable, Equatable {
  var x: Int
  var list: [Int]
  var deep: String

  enum Keys: CodingKey { case point, list }
  enum PointKeys: CodingKey { case x, deep }

  init(x: Int, list: [Int], deep: String) {
    self.x = x
    self.list = list
    self.deep = deep
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    let point = try container.nestedContainer(keyedBy: PointKeys.self, forKey: .point)
    x = try point.decode(Int.self, forKey: .x)
    deep = try point.decode(String.self, forKey: .deep)
    var elements = try container.nestedUnkeyedContainer(forKey: .list)
    list = []
    while !elements.isAtEnd { list.append(try elements.decode(Int.self)) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var point = container.nestedContainer(keyedBy: PointKeys.self, forKey: .point)
    try point.encode(x, forKey: .x)
    var elements = container.nestedUnkeyedContainer(forKey: .list)
    for element in list { try elements.encode(element) }
    try point.encode(deep, forKey: .deep)
  }
}

/// Elements of several types, one by one, and one too many.
struct Row: Codable, Equatable {
  var id: Int
  var name: String
  var isLast: Bool

  init(id: Int, name: String, isLast: Bool) {
    self.id = id
    self.name = name
    self.isLast = isLast
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    id = try container.decode(Int.self)
    name = try container.decodeNil() ? "nil" : container.decode(String.self)
    isLast = try container.decode(Bool.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(id)
    try container.encode(name)
    try container.encode(isLast)
  }
}

/// Classes that inherit, by `super` and by the same container.
class Animal: Codable {
  var name: String
  init(name: String) { self.name = name }
}

final class Dog: Animal, Equatable, CustomStringConvertible {
  var age: Int
  enum CodingKeys: CodingKey { case age }

  init(name: String, age: Int) {
    self.age = age
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    age = try container.decode(Int.self, forKey: .age)
    try super.init(from: try container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(age, forKey: .age)
    try super.encode(to: container.superEncoder())
  }

  static func == (left: Dog, right: Dog) -> Bool {
    left.name == right.name && left.age == right.age
  }

  var description: String { "\(name), \(age)" }
}

final class Cat: Animal, Equatable, CustomStringConvertible {
  var lives: Int
  enum CodingKeys: CodingKey { case lives }

  required init(from decoder: any Decoder) throws {
    lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
    try super.init(from: decoder)
  }

  static func == (left: Cat, right: Cat) -> Bool { left.name == right.name }
  var description: String { "\(name), \(lives)" }
}

/// Tries one form after the other.
enum Either: Codable, Equatable {
  case number(Int)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

/// Types of Foundation that JSON has in another form than the one in which they encode themselves.
struct Account: Codable, Equatable {
  var home: URL?
  var data: Data
  var price: Decimal
}
