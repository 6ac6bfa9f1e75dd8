// swift-tools-version: 6.2
// B21: decodes the same types from the same document, with Lull and with Foundation.
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
