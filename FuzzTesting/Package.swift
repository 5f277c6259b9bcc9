// swift-tools-version: 6.2
import PackageDescription

// libFuzzer targets, a build of their own: `make fuzz`, or scripts/fuzz for a shorter run. Every executable is one.

func fuzzTarget(_ name: String, _ libraries: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: libraries.map { .product(name: $0, package: "keyway") },
        // libFuzzer brings the main function.
        swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-parse-as-library"])]
    )
}

let package = Package(
    name: "keyway-fuzz-testing",
    dependencies: [.package(name: "keyway", path: "..")],
    targets: ["FuzzTLLV", "FuzzSPC", "FuzzSPCPayload", "FuzzCKCPayload"].map {
        fuzzTarget($0, ["ByteCoding", "FPSMessages"])
    } + [fuzzTarget("FuzzPlaylist", ["HLSPlaylist"])]
        + ["FuzzMP4", "FuzzTS", "FuzzNAL", "FuzzADTS", "FuzzAC3"].map {
            fuzzTarget($0, ["ByteCoding", "MediaFormats"])
        }
)
