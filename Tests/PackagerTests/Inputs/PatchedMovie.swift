import Foundation
import MediaFormats
import Testing

@testable import Packager

/// A movie of the fixtures whose bytes can be changed without moving its boxes, unless stated otherwise.
struct PatchedMovie {
    var bytes: [UInt8]

    /// Reads a movie, by default 3 seconds of H.264 (track 1) and AAC (track 2).
    init(_ path: String? = nil) throws {
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path ?? PipelineFixture.path("film.mp4"))))
    }

    /// The offsets of text or bytes.
    func offsets(of pattern: [UInt8]) -> [Int] {
        bytes.indices.filter { bytes[$0...].starts(with: pattern) }
    }

    func offset(of text: String, number: Int = 0) throws -> Int {
        let found = offsets(of: Array(text.utf8))
        return try #require(found.indices.contains(number) ? found[number] : nil)
    }

    /// Replaces the n-th occurrence of a four-character code.
    mutating func replace(_ text: String, with other: String, number: Int = 0) throws {
        let start = try offset(of: text, number: number)
        bytes.replaceSubrange(start..<start + 4, with: other.utf8)
    }

    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }

    mutating func set(_ value: Int, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }

    /// Changes the object type of the `mp4a` sample entry.
    mutating func setObjectType(_ type: UInt8) throws {
        let esds = try offset(of: "esds")
        // A DecoderConfigDescriptor, whose size has 4 bytes, begins with the object type 0x40.
        let start = try #require(offsets(of: [4, 0x80, 0x80, 0x80]).first { $0 > esds })
        try #require(bytes[start + 5] == 0x40)
        bytes[start + 5] = type
    }

    /// Moves the `moov` box before the media data.
    mutating func moveMovieToFront() throws {
        let (data, movie) = (try offset(of: "mdat") - 4, try offset(of: "moov") - 4)
        let size = bytes.count - movie
        var front = self
        front.bytes = Array(bytes[movie...])
        for start in front.offsets(of: Array("stco".utf8)) {
            for index in 0..<front.number(at: start + 8) {
                let place = start + 12 + index * 4
                front.set(front.number(at: place) + size, at: place)
            }
        }
        bytes = bytes[..<data] + front.bytes + bytes[data..<movie]
    }

    /// Writes the file into a folder, and returns its path.
    func write(to folder: ScratchFolder, _ name: String = "patched.mp4") throws -> String {
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Opens the file.
    func open(in folder: ScratchFolder) throws -> any MediaInput { try MediaInputs.open(write(to: folder)) }

    /// Creates a job that packages the file.
    func job(in folder: ScratchFolder, scheme: TrackProtection.Scheme? = nil) throws -> PackagingJob {
        var job = try PipelineFixture.job([], to: folder.path + "/out", scheme: scheme)
        job.inputs = [PackagingJob.Input(path: try write(to: folder))]
        return job
    }
}
