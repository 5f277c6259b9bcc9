import Foundation
import MediaFormats
import Testing

/// A stream of Fixtures/Audio with ffprobe's description of it. See make.sh there.
struct AudioFixture: CustomTestStringConvertible, Sendable {
    let name: String
    var testDescription: String { name }

    static let adts = ["stereo.aac", "surround.aac", "element.aac"].map { AudioFixture(name: $0) }

    private func file(_ name: String) throws -> Data {
        let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures/Audio")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    func bytes() throws -> [UInt8] { [UInt8](try file(name)) }

    private func lines() throws -> [Substring] {
        String(decoding: try file(name + ".txt"), as: UTF8.self).split(separator: "\n")
    }

    /// The codec, the sample rate and the number of channels.
    func stream() throws -> (codec: String, rate: Int, channels: Int) {
        let fields = try #require(lines().first).split(separator: ",")
        return (String(fields[0]), try #require(Int(fields[1])), try #require(Int(fields[2])))
    }

    /// The sizes of frames in bytes.
    func sizes() throws -> [Int] { try lines().dropFirst().compactMap { Int($0) } }
}

/// A bit sequence, for streams that no available encoder writes.
struct TestBits {
    private(set) var bits: [UInt8] = []

    mutating func put(_ value: Int, _ width: Int) {
        for bit in stride(from: width - 1, through: 0, by: -1) { bits.append(UInt8(value >> bit & 1)) }
    }

    /// The bytes, padded with zeros to the given number of bytes, or to a whole byte.
    func bytes(_ count: Int? = nil) -> [UInt8] {
        var bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
        }
        if let count { bytes += [UInt8](repeating: 0, count: max(0, count - bytes.count)) }
        return bytes
    }
}

/// Divides bytes into parts; the last one can be shorter.
func pieces(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
}
