// swift-tools-version: 6.2
import PackageDescription

// libFuzzer targets in a separate build: `make fuzz`, or scripts/fuzz for a shorter run. Every executable is a target.

func fuzzTarget(_ name: String, _ libraries: [String], mutates: Bool = false) -> Target {
    .executableTarget(
        name: name,
        dependencies: libraries.map { .product(name: $0, package: "keyway") } + (mutates ? ["Mutations"] : []),
        // libFuzzer provides the main function.
        swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-parse-as-library"])]
    )
}

let package = Package(
    name: "keyway-fuzz-testing",
    dependencies: [.package(name: "keyway", path: "..")],
    targets: [
        // Mutations of inputs by the syntax of their formats.
        .target(name: "Mutations", swiftSettings: [.treatAllWarnings(as: .error)]),
        fuzzTarget("FuzzPlaylist", ["HLSPlaylist"], mutates: true),
        fuzzTarget("FuzzTS", ["ByteCoding", "MediaFormats"]),
        fuzzTarget("FuzzDRM", ["ByteCoding", "DRMSignaling"]),
        fuzzTarget("FuzzDASH", ["DASHManifest"]),
        fuzzTarget("FuzzSegments", ["ByteCoding", "StreamValidation"]),
    ]
        + ["FuzzTLLV", "FuzzSPC", "FuzzSPCPayload", "FuzzCKCPayload"].map {
            fuzzTarget($0, ["ByteCoding", "FPSMessages"])
        }
        + ["FuzzMP4", "FuzzNAL", "FuzzADTS", "FuzzAC3"].map {
            fuzzTarget($0, ["ByteCoding", "MediaFormats"], mutates: true)
        }
)
