// swift-tools-version: 6.2
import PackageDescription

// What each target may import stands in docs/architecture.md; scripts/check-layers holds the two against each other.

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "keyway",
    products: [
        .library(name: "ByteCoding", targets: ["ByteCoding"])
    ],
    dependencies: [],
    targets: [
        .target(
            name: "ByteCoding",
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        .target(name: "FPSMessages", dependencies: ["ByteCoding"], swiftSettings: settings),
        .testTarget(name: "FPSMessagesTests", dependencies: ["FPSMessages", "ByteCoding"], swiftSettings: settings),
        .testTarget(name: "ByteCodingTests", dependencies: ["ByteCoding"], swiftSettings: settings),
    ]
)
