// swift-tools-version: 6.2
// B21: the same types decoded from the same document, by Lull and by Foundation.
import PackageDescription

let package = Package(
  name: "decoding",
  dependencies: [.package(name: "lull", path: "../../../..")],
  targets: [
    .target(name: "Model"),
    .executableTarget(
      name: "decoding-lull", dependencies: ["Model", .product(name: "LullCore", package: "lull")]),
    .executableTarget(name: "decoding-foundation", dependencies: ["Model"]),
  ]
)
