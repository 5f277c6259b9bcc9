import Foundation
import Testing

@testable import StreamPlayer

@Suite("Tracks that are combined into one stream")
struct FragmentCombinerTests {
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// Returns an init segment with one track, with its header in version 0 or 1.
    private static func initialization(track: UInt32, version: UInt8 = 0) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: version == 1 ? 16 : 8)
        let header = box("tkhd", [version, 0, 0, 3] + times + number(track) + [UInt8](repeating: 0, count: 60))
        let extends = box("trex", [0, 0, 0, 0] + number(track) + [UInt8](repeating: 0, count: 16))
        return box("ftyp", Array("isom".utf8))
            + box(
                "moov",
                box("mvhd", [UInt8](repeating: 0, count: 100)) + box("trak", header + box("mdia", [1, 2, 3]))
                    + box("mvex", extends)
            )
    }

    private static func fragment(track: UInt32, flags: UInt8 = 0, sequence: UInt32 = 9, _ samples: String) -> [UInt8] {
        box("styp", []) + box("sidx", [0, 0])
            + box(
                "moof",
                box("mfhd", [0, 0, 0, 0] + number(sequence))
                    + box("traf", box("tfhd", [0, 2, 0, flags] + number(track)) + box("trun", [5, 6]))
            ) + box("mdat", Array(samples.utf8))
    }

    @Test("have different track IDs, and consecutively numbered fragments")
    func combines() throws {
        var combiner = FragmentCombiner(streams: 2)
        #expect(try combiner.initialize(0, Self.initialization(track: 7)) == nil)
        let both = try combiner.initialize(1, Self.initialization(track: 7, version: 1))
        let (first, second) = (Self.initialization(track: 1), Self.initialization(track: 2, version: 1))
        // Box by box: the second movie's track and its defaults follow the first's.
        let bytes = try #require(both)
        #expect(bytes.count == first.count + (second.count - 12 - 8 - 108 - 8))
        #expect(
            try combiner.fragment(0, Self.fragment(track: 7, "video"))
                == Array(Self.fragment(track: 1, sequence: 1, "video").dropFirst(18))
        )
        #expect(
            try combiner.fragment(1, Self.fragment(track: 7, "audio"))
                == Array(Self.fragment(track: 2, sequence: 2, "audio").dropFirst(18))
        )
        // Another init segment of a track starts another movie.
        #expect(try combiner.initialize(0, Self.initialization(track: 3)) != nil)
        #expect(
            try combiner.fragment(0, Self.fragment(track: 3, "video"))
                == Array(Self.fragment(track: 1, sequence: 3, "video").dropFirst(18))
        )
    }

    @Test("are rejected if they cannot be combined")
    func refuses() throws {
        var combiner = FragmentCombiner(streams: 1)
        #expect(throws: FragmentCombiner.Failure.self) { try combiner.fragment(0, Self.fragment(track: 1, "a")) }
        #expect(throws: FragmentCombiner.Failure.self) { try combiner.initialize(0, Self.box("ftyp", [])) }
        _ = try combiner.initialize(0, Self.initialization(track: 7))
        #expect(throws: FragmentCombiner.Failure.self) { try combiner.fragment(0, Self.fragment(track: 8, "a")) }
        #expect(throws: FragmentCombiner.Failure.self) {
            try combiner.fragment(0, Self.fragment(track: 7, flags: 1, "a"))
        }
    }

    @Test("cause an error, and never a crash, if they are truncated or any byte is changed")
    func damaged() throws {
        let (initialization, fragment) = (Self.initialization(track: 7), Self.fragment(track: 7, "samples"))
        var good = FragmentCombiner(streams: 1)
        _ = try good.initialize(0, initialization)
        let ends = Set([16])
        for count in 1..<initialization.count where !ends.contains(count) {
            var combiner = FragmentCombiner(streams: 1)
            #expect(throws: FragmentCombiner.Failure.self, "\(count)") {
                try combiner.initialize(0, Array(initialization.prefix(count)))
            }
        }
        for index in initialization.indices {
            for bit in 0..<8 {
                var (combiner, bytes) = (FragmentCombiner(streams: 1), initialization)
                bytes[index] ^= 1 << bit
                _ = try? combiner.initialize(0, bytes)
                _ = try? combiner.fragment(0, fragment)
            }
        }
        for index in fragment.indices {
            for bit in 0..<8 {
                var (combiner, bytes) = (good, fragment)
                bytes[index] ^= 1 << bit
                _ = try? combiner.fragment(0, bytes)
            }
        }
    }

    @Test("wait for the init segments of all tracks")
    func waits() async throws {
        let path = NSTemporaryDirectory() + "stream-\(UUID().uuidString)"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = StreamOutput(try #require(FileHandle(forWritingAtPath: path)))
        func piece(_ track: DecryptedPiece.TrackKind, _ bytes: [UInt8], first: Bool = false) -> DecryptedPiece {
            DecryptedPiece(track, of: [.main, .audio], isInitialization: first, bytes: bytes)
        }
        try await output.write(piece(.main, Self.initialization(track: 1), first: true))
        try await output.write(piece(.main, Self.fragment(track: 1, "video")))
        #expect(FileManager.default.contents(atPath: path)?.isEmpty == true)
        try await output.write(piece(.audio, Self.initialization(track: 1), first: true))
        try await output.write(piece(.audio, Self.fragment(track: 1, "audio")))
        try await output.finish()
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let (video, audio) = (text.range(of: "video"), text.range(of: "audio"))
        #expect(try #require(video).lowerBound < (try #require(audio)).lowerBound)
    }
}

@Suite("Packed audio in outputs")
struct PackedAudioOutputTests {
    /// An ID3 tag without frames, and an MP3 frame of 417 bytes.
    private static let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]
    private static let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 5, count: 413)

    private static func write(to output: any MediaOutput) async throws {
        for _ in 0..<2 {
            try await output.write(
                DecryptedPiece(.main, of: [.main], isInitialization: false, bytes: tag + frame)
            )
        }
        try await output.finish()
    }

    @Test("has no ID3 tags, in a folder under the name of its format and in one stream")
    func outputs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyway-output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.write(to: try FolderOutput(folder.path))
        #expect(try Array(Data(contentsOf: folder.appending(path: "main.mp3"))) == Self.frame + Self.frame)
        let file = folder.appending(path: "stream")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        try await Self.write(to: StreamOutput(try #require(FileHandle(forWritingAtPath: file.path))))
        #expect(try Array(Data(contentsOf: file)) == Self.frame + Self.frame)
    }
}
