// swift-tools-version: 6.2
import PackageDescription

// A build of its own, so that neither tests nor server pay for it: `make bench`.
let package = Package(
    name: "keyway-benchmarks",
    dependencies: [.package(name: "keyway", path: "..")],
    targets: [
        .executableTarget(
            name: "keyway-bench",
            dependencies: [
                .product(name: "CLibcrypto", package: "keyway"),
                .product(name: "FPSCrypto", package: "keyway"),
                .product(name: "FPSMessages", package: "keyway"),
                .product(name: "KeyServerModule", package: "keyway"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        )
    ]
)
