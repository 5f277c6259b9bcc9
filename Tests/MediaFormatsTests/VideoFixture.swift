import Foundation
import MediaFormats
import Testing

/// A stream of Fixtures/Video; see the README there.
struct VideoFixture: CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }
    var isHEVC: Bool { name.hasSuffix("hevc") }

    /// A line of the stream's list of expected slice headers.
    struct Slice: Equatable {
        var type: Int
        var bits: Int
        var bytes: Int
    }

    static let h264 = [
        "slices", "cavlc", "field", "high422", "vui", "long", "recovery", "intra-refresh", "weighted", "changes",
        "made",
    ].map { VideoFixture(name: $0 + ".h264") }
    static let hevc = [
        "hevc-slices", "hevc-wpp", "hevc-open-gop", "hevc-closed", "hevc-layers", "hevc-hdr", "hevc-lossless",
        "hevc-hlg",
        "hevc-qp", "hevc-weighted", "made",
    ].map { VideoFixture(name: $0 + ".hevc") }

    private func file(_ name: String) throws -> Data {
        let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures/Video")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    func bytes() throws -> [UInt8] { [UInt8](try file(name)) }

    func units() throws -> [[UInt8]] {
        let stream = try bytes()
        var units = AnnexBNALUnits()
        var all: [[UInt8]] = []
        while let range = units.next(stream.span.bytes) { all.append(Array(stream[range])) }
        return all
    }

    func expected() throws -> [Slice] {
        String(decoding: try file(name + ".txt"), as: UTF8.self).split(separator: "\n").map { line in
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            return Slice(type: numbers[0], bits: numbers[1], bytes: numbers[2])
        }
    }
}

/// A deterministic random number generator.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
