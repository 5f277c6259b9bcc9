// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that neither tests nor server builds include it: `make bench`.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "keyway-benchmarks",
    dependencies: [.package(name: "keyway", path: "..")],
    targets: [
        .executableTarget(
            name: "keyway-bench",
            dependencies: [
                "COpenSSL",
                "Measuring",
                .product(name: "FPSCrypto", package: "keyway"),
                .product(name: "FPSMessages", package: "keyway"),
                .product(name: "KeyServerModule", package: "keyway"),
                .product(name: "SampleEncryption", package: "keyway"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "playlist-bench",
            dependencies: ["CAllocations", "Measuring", .product(name: "HLSPlaylist", package: "keyway")],
            swiftSettings: settings
        ),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "Measuring", swiftSettings: settings),
        // Counts allocations by replacing the C library's functions.
        .target(name: "CAllocations"),
    ]
)
