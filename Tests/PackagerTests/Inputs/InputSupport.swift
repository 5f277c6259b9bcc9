import Foundation
import MediaFormats
import Packager
import Testing

/// The clips in Fixtures/Inputs; the Makefile there contains the commands that created them.
enum Clip {
    static func path(_ name: String) throws -> String {
        try #require(Bundle.module.url(forResource: "Fixtures/Inputs/\(name)", withExtension: nil)).path
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// The values of ffprobe for each packet.
    static func packets(_ name: String) throws -> [Packet] {
        try String(contentsOfFile: path(name + ".txt"), encoding: .utf8).split(separator: "\n").map { line in
            let fields = line.split(separator: " ")
            return Packet(
                stream: try #require(Int(fields[0])),
                presentation: try #require(Int64(fields[1])),
                decode: try #require(Int64(fields[2])),
                size: try #require(Int(fields[3])),
                isKey: fields[4] == "K"
            )
        }
    }

    struct Packet: Hashable {
        var stream: Int
        var presentation: Int64
        var decode: Int64
        var size: Int
        var isKey: Bool
    }
}

/// A source of bytes in chunks of any size, like a pipe.
final class Pieces: ByteSource {
    let name = "test input"
    private let bytes: [UInt8]
    private let sizes: [Int]
    private var turn = 0
    private(set) var position = 0

    init(_ bytes: [UInt8], of sizes: [Int] = [1 << 20]) {
        self.bytes = bytes
        self.sizes = sizes
    }

    var byteCount: Int? { nil }
    func peek(_ count: Int) -> [UInt8] { Array(bytes.prefix(count)) }

    func next(_ body: (RawSpan) throws -> Void) throws -> Bool {
        guard position < bytes.count else { return false }
        let piece = bytes[position..<min(bytes.count, position + sizes[turn % sizes.count])]
        turn += 1
        position = piece.endIndex
        try piece.withUnsafeBytes { try body($0.bytes) }
        return true
    }
}

/// A sample with all values.
struct ReadSample: Hashable {
    var track: Int
    var bytes: [UInt8]
    var decode: Int64
    var presentation: Int64
    var duration: UInt32
    var isSync: Bool
}

extension MediaInput {
    /// Returns all samples, with times in the presentation, in the units of their tracks.
    func samples() throws -> [ReadSample] { try parts().flatMap(\.samples) }

    /// Returns the tracks and samples of each part.
    func parts() throws -> [(tracks: [MediaTrack], samples: [ReadSample])] {
        var parts = [(tracks: tracks, samples: [ReadSample]())]
        while let event = try next() {
            guard case .sample(let track, let sample) = event else {
                parts.append((tracks, []))
                continue
            }
            let offset = tracks[track].timing.presentationOffset
            parts[parts.count - 1].samples.append(
                ReadSample(
                    track: track,
                    bytes: sample.withBytes { $0.withUnsafeBytes { [UInt8]($0) } },
                    decode: sample.decodeTime + offset,
                    presentation: sample.presentationTime + offset,
                    duration: sample.duration,
                    isSync: sample.isSync
                )
            )
        }
        return parts
    }

    func samples(of track: Int) throws -> [ReadSample] { try samples().filter { $0.track == track } }
}

/// Returns the error message of `body`.
func failure(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        return "\(error)"
    }
}
