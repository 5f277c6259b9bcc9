import ByteCoding
import Foundation
import MediaFormats
import Testing

@testable import StreamValidation

/// The expected values are those that ffprobe 5.1 prints for the clips, which ffmpeg and Shaka Packager made (see
/// Tests/PackagerTests/Fixtures/Decrypting/make).
@Suite("Segments are measured")
struct SegmentProbeTests {
    private static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    private static func measure(_ name: String, initialization: String? = nil) throws -> SegmentMeasurement {
        var probe = SegmentProbe()
        if let initialization {
            let bytes = try clip(initialization)
            _ = try probe.initialize(bytes.span.bytes)
        }
        return try measure(clip(name), &probe)
    }

    private static func measure(_ bytes: [UInt8], _ probe: inout SegmentProbe) throws -> SegmentMeasurement {
        try probe.measure(bytes.span.bytes)
    }

    @Test("as fragmented MP4, clear or encrypted", arguments: ["cbcs", "cenc", "cens", "cbc1"])
    func movie(scheme: String) throws {
        let track = try #require(try Self.measure("\(scheme)-video.mp4").tracks.first)
        #expect(track.format.codecs.hasPrefix("avc1.") && track.format.size == PictureSize(width: 64, height: 48))
        #expect(track.sampleCount == 30 && track.encryptedSampleCount == 30)
        #expect(track.start?.seconds == 0 && track.duration == 3 && track.frameRate == 10)
        #expect(track.firstPicture == .idr && track.keyFrames == [0, 1, 2] && !track.hasWrongSyncFlags)
        #expect(track.format.protection?.scheme == scheme)
        #expect(track.keyIDs.map(\.bytes) == [track.format.protection?.keyID?.bytes])
    }

    @Test("with a key that changes, and a clear lead")
    func rotation() throws {
        let track = try #require(try Self.measure("rotation-video.mp4").tracks.first)
        #expect(track.sampleCount == 30 && track.encryptedSampleCount == 20 && track.keyIDs.count == 2)
    }

    @Test("with an init segment in a file of its own")
    func initialization() throws {
        let track = try #require(
            try Self.measure("segments-1.m4s", initialization: "segments-init.mp4").tracks.first
        )
        #expect(track.sampleCount == 10 && track.duration == 1 && track.decodeStart?.value == 0)
        #expect(throws: ParseError(.missingBox, reading: "", offset: 0)) { try Self.measure("segments-1.m4s") }
    }

    @Test("as transport streams, clear or with SAMPLE-AES")
    func transportStream() throws {
        let encrypted = try #require(try Self.measure("sample-aes-video-1.ts").tracks.first)
        #expect(encrypted.sampleCount == 10 && encrypted.encryptedSampleCount == 10)
        #expect(encrypted.start?.seconds == 0.5 && encrypted.duration == 1)
        #expect(encrypted.format.size == PictureSize(width: 64, height: 48) && encrypted.firstPicture == .idr)
        #expect(encrypted.format.protection?.scheme == "SAMPLE-AES")
        let clear = try Self.measure("clear-video-1.ts")
        let track = try #require(clear.tracks.first)
        #expect(track.sampleCount == 30 && track.encryptedSampleCount == 0 && track.keyFrames == [0.5, 1.5, 2.5])
        #expect(clear.damage == 0 && clear.startsWithTables)
    }

    @Test("as audio in transport streams", arguments: ["clear", "sample-aes"])
    func transportAudio(kind: String) throws {
        let track = try #require(try Self.measure("\(kind)-aac-1.ts").tracks.first)
        #expect(track.sampleCount == 66 && track.format.sampleRate == 22050 && track.format.channels == "1")
        #expect(abs((track.start?.seconds ?? 0) - 0.453556) < 0.0001)
        #expect(abs((track.duration ?? 0) - 3.065022) < 0.001)
        #expect((track.format.protection != nil) == (kind == "sample-aes"))
    }

    @Test("as packed audio", arguments: ["aac", "ac3", "eac3"])
    func packedAudio(codec: String) throws {
        let track = try #require(try Self.measure("sample-aes-packed-1.\(codec)").tracks.first)
        #expect(track.format.container == .packedAudio && track.format.protection?.scheme == "SAMPLE-AES")
        #expect(track.encryptedSampleCount == track.sampleCount && track.sampleCount > 10)
        if codec == "aac" { #expect(track.sampleCount == 66) }
    }

    @Test("A byte stream with bytes cut off is an error, or has fewer samples; it is never a crash")
    func truncation() throws {
        for name in ["cbcs-video.mp4", "sample-aes-video-1.ts", "sample-aes-packed-1.eac3", "clear-aac-1.ts"] {
            let bytes = try Self.clip(name)
            let whole = try Self.measure(name).tracks.first?.sampleCount ?? 0
            for count in stride(from: 0, to: bytes.count, by: 7) {
                var probe = SegmentProbe()
                guard let measurement = try? Self.measure(Array(bytes.prefix(count)), &probe) else { continue }
                #expect((measurement.tracks.first?.sampleCount ?? 0) <= whole)
            }
        }
    }

    @Test("Pages and other text are no segments")
    func pages() {
        for text in ["<!doctype html><html></html>", "{\"error\":1}", ""] {
            #expect(throws: ParseError(.notMedia, reading: "", offset: 0)) {
                var probe = SegmentProbe()
                _ = try Self.measure(Array(text.utf8), &probe)
            }
        }
    }
}

@Suite("The structure and the encrypted parts of MP4 are measured")
struct MovieStructureTests {
    private static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    private static func measure(_ bytes: [UInt8]) throws -> SegmentMeasurement {
        var probe = SegmentProbe()
        return try probe.measure(bytes.span.bytes)
    }

    /// Returns the offset of the first box of a type.
    private static func offset(_ type: String, _ bytes: [UInt8]) throws -> Int {
        let name = Array(type.utf8)
        return try #require(bytes.indices.first { bytes[$0...].starts(with: name) }) - 4
    }

    @Test("Fragments with and without their boxes")
    func structure() throws {
        var bytes = try Self.clip("cbcs-video.mp4")
        let structure = try #require(try Self.measure(bytes).structure)
        #expect(structure.hasMovie && structure.fragmentCount > 0 && !structure.hasFileOffsets)
        #expect(!structure.lacksDecodeTime && !structure.lacksAuxiliaryInformation)
        // The first tfdt box becomes one that no reader knows.
        bytes.replaceSubrange(
            try Self.offset("tfdt", bytes) + 4..<Self.offset("tfdt", bytes) + 8,
            with: Array("free".utf8)
        )
        #expect(try Self.measure(bytes).structure?.lacksDecodeTime == true)
    }

    @Test("A slice header that is encrypted, and a slice that is clear")
    func subsamples() throws {
        let bytes = try Self.clip("cbcs-video.mp4")
        #expect(try Self.measure(bytes).tracks.first?.subsampleFaults == [])
        // The clear and the protected size of the first subsample.
        let position = try Self.offset("senc", bytes) + 18
        func sizes(_ clear: Int, _ protected: Int) -> [UInt8] {
            [8, 0].map { UInt8(clear >> $0 & 255) } + [24, 16, 8, 0].map { UInt8(protected >> $0 & 255) }
        }
        let clear = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let protected = (2..<6).reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
        func faults(_ shift: Int) throws -> Set<SubsampleFault>? {
            var changed = bytes
            changed.replaceSubrange(position..<position + 6, with: sizes(clear + shift, protected - shift))
            return try Self.measure(changed).tracks.first?.subsampleFaults
        }
        #expect(try faults(0) == [])
        #expect(try faults(-2)?.contains(.encryptsSliceHeader) == true)
        #expect(try faults(protected)?.contains(.leavesSliceClear) == true)
    }

    @Test("A configuration without parameter sets")
    func parameterSets() throws {
        var bytes = try Self.clip("cbcs-video.mp4")
        #expect(try Self.measure(bytes).tracks.first?.format.details.hasParameterSets == true)
        // avcC: 8 bytes of header, 5 bytes, and the number of sequence parameter sets.
        let position = try Self.offset("avcC", bytes) + 13
        bytes[position] &= 0xE0
        let details = try Self.measure(bytes).tracks.first?.format.details
        #expect(details?.hasParameterSets == false)
    }

    @Test("The element of CODECS for AV1")
    func av1() {
        #expect(TrackFormat.codecs(av1: [0x81, 0x04, 0x0C, 0x00]) == "av01.0.04M.08")
        #expect(TrackFormat.codecs(av1: [0x81, 0x2D, 0xE0, 0x00]) == "av01.1.13H.12")
        #expect(TrackFormat.codecs(av1: [0x81, 0x04]) == nil)
    }
}
