// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "AgeCheck",
    dependencies: [.package(name: "countersign", path: "../../..")],
    targets: [
        .executableTarget(
            name: "AgeCheck", dependencies: [.product(name: "TapToPresent", package: "countersign")],
            path: ".", sources: ["main.swift"])
    ])
