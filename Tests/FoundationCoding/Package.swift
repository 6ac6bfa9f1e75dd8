// swift-tools-version: 6.2
// Types decoded and encoded by Lull and by Foundation, side by side.
import PackageDescription

let package = Package(
  name: "foundation-coding",
  dependencies: [.package(name: "lull", path: "../..")],
  targets: [
    .executableTarget(
      name: "foundation-coding", dependencies: [.product(name: "LullCore", package: "lull")])
  ]
)
