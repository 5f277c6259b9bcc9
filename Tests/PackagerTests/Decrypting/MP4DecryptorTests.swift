import ByteCoding
import FPSCrypto
import Foundation
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// MP4 files of other packagers, decrypted and compared with the clip that they were made from.
@Suite("Decrypting MP4 files")
struct MP4DecryptorTests {
    /// Boxes of encryption, none of which may remain.
    private static let marks: [FourCC] = ["sinf", "pssh", "senc", "saiz", "saio", "tenc", "schm", "encv", "enca"]

    private func holdsNoMark(_ file: [UInt8]) -> Bool {
        let text = BoxTree(reading: file.span.bytes).description
        return Self.marks.allSatisfy { !text.contains($0.description) } && !text.contains("grouping_type=seig")
    }

    @Test("Shaka Packager's samples equal those of the clear clip", arguments: ["cenc", "cens", "cbc1", "cbcs"])
    func schemes(scheme: String) throws {
        let file = try DecryptingFixture.bytes("\(scheme)-video.mp4")
        let clear = try samples(DecryptingFixture.bytes("clear.mp4"), of: "vide")
        #expect(try samples(file, of: "vide") != clear)
        let (output, tracks) = try decrypted(file, TestKeys.all())
        #expect(output.count == file.count)
        #expect(try samples(output, of: "vide") == clear)
        #expect(holdsNoMark(output))
        #expect(MP4Verifier.verify(output.span.bytes).isEmpty)
        #expect(tracks.count == 1)
        #expect(tracks.first?.scheme == scheme)
        #expect(tracks.first?.format == "avc1")
        #expect(tracks.first?.keyIDs.map(\.bytes) == [TestKeys.videoID])
        #expect(tracks.first?.decrypted == clear.count)
        #expect(tracks.first?.clear == 0)
        let entry = try MovieFile(reading: output.span.bytes).movie.tracks[0].descriptions[0]
        #expect(entry.format == "avc1")
        #expect(entry.protections.isEmpty)
    }

    @Test("Audio with cbcs, without initialization vectors and subsamples")
    func audio() throws {
        let file = try DecryptingFixture.bytes("cbcs-audio.mp4")
        let (output, tracks) = try decrypted(file, TestKeys.all())
        #expect(try samples(output, of: "soun") == samples(DecryptingFixture.bytes("clear.mp4"), of: "soun"))
        #expect(holdsNoMark(output))
        #expect(tracks.first?.format == "mp4a")
        #expect(tracks.first?.keyIDs.map(\.bytes) == [TestKeys.audioID])
    }

    @Test("A clear lead, and keys that change with sample groups")
    func rotation() throws {
        let file = try DecryptingFixture.bytes("rotation-video.mp4")
        // Shaka Packager derives the key of each period by rotating the given key.
        func turned(_ bytes: [UInt8], _ count: Int) -> [UInt8] { Array(bytes[count...] + bytes[..<count]) }
        let periods = (0..<3).map { (id: turned(TestKeys.videoID, $0), key: turned(TestKeys.video, $0)) }
        let (output, tracks) = try decrypted(file, TestKeys.keys(periods))
        #expect(try samples(output, of: "vide") == samples(DecryptingFixture.bytes("clear.mp4"), of: "vide"))
        #expect(holdsNoMark(output))
        #expect(tracks.first?.clear == 10)
        #expect(tracks.first?.decrypted == 20)
        #expect(tracks.first?.keyIDs.count == 2)
        let descriptions = try MovieFile(reading: output.span.bytes).movie.tracks[0].descriptions
        #expect(descriptions.map(\.format) == ["avc1", "avc1"])
        #expect {
            _ = try decrypted(file, TestKeys.keys([periods[0], periods[2]]))
        } throws: {
            let error = $0 as? DecryptionError
            return error?.code == .missingKey && error?.subject == "track 1 (avc1), sample 21"
        }
    }

    @Test("A media segment requires its initialization segment")
    func segment() throws {
        let file = try DecryptingFixture.bytes("segments-1.m4s")
        let initialization = try DecryptingFixture.bytes("segments-init.mp4")
        #expect {
            _ = try decrypted(file, TestKeys.all())
        } throws: {
            ($0 as? DecryptionError)?.code == .missingInitialization
        }
        let (output, tracks) = try decrypted(file, TestKeys.all(), initialization: initialization)
        let (header, none) = try decrypted(initialization, TestKeys.all())
        #expect(tracks.first?.decrypted == 10)
        #expect(none.first?.decrypted == 0)
        #expect(holdsNoMark(output) && holdsNoMark(header))
        let clear = try samples(DecryptingFixture.bytes("clear.mp4"), of: "vide")
        #expect(try samples(header + output, of: "vide") == Array(clear.prefix(10)))
    }

    @Test("The error contains the missing key's ID and the track")
    func missingKey() throws {
        let file = try DecryptingFixture.bytes("cbcs-video.mp4")
        do {
            _ = try decrypted(file, TestKeys.keys([(TestKeys.audioID, TestKeys.audio)]))
            Issue.record("it was decrypted with another key")
        } catch let error as DecryptionError {
            #expect(error.code == .missingKey)
            #expect(
                error.description
                    == "track 1 (avc1), sample 1: no key was given for the key ID 0123456789abcdef0123456789abcdef"
            )
        }
    }

    @Test("A key ID of zeros selects the only key, and is an error with several keys")
    func unnamedKey() throws {
        var file = try DecryptingFixture.bytes("cbcs-video.mp4")
        let place = try #require(file.firstRange(of: TestKeys.videoID))
        // The first occurrence is in pssh or in tenc: all are changed.
        var range: Range<Int>? = place
        while let found = range {
            file.replaceSubrange(found, with: [UInt8](repeating: 0, count: 16))
            range = file.firstRange(of: TestKeys.videoID)
        }
        let (output, _) = try decrypted(file, TestKeys.keys([(TestKeys.audioID, TestKeys.video)]))
        #expect(try samples(output, of: "vide") == samples(DecryptingFixture.bytes("clear.mp4"), of: "vide"))
        #expect(throws: DecryptionError.self) { _ = try decrypted(file, TestKeys.all()) }
    }

    @Test("A clear file does not change")
    func clear() throws {
        let file = try DecryptingFixture.bytes("clear.mp4")
        let (output, tracks) = try decrypted(file, TestKeys.all())
        #expect(output == file)
        #expect(tracks.isEmpty)
    }

    @Test("A truncated sample entry beyond the entry count is an error")
    func uncountedEntry() throws {
        var file = try DecryptingFixture.bytes("rotation-video.mp4")
        let description = try #require(file.firstRange(of: Array("stsd".utf8)))
        // The entry count is 1 of two entries; in the other one a box becomes a sinf box without an end.
        file[description.upperBound + 7] = 1
        let box = description.upperBound + 8 + 221 + 86
        #expect(file[box + 4..<box + 8] == Array("avcC".utf8)[...])
        let protection = [0x3F, 0xFF, 0xFF, 0xFF] + Array("sinf".utf8) + [0, 0, 0, 12] + Array("frmaavc1".utf8)
        file.replaceSubrange(box..<box + protection.count, with: protection)
        #expect {
            _ = try decrypted(file, TestKeys.all())
        } throws: {
            ($0 as? ParseError)?.reading == "sinf box"
        }
    }

    @Test("The error contains an unknown scheme")
    func otherScheme() throws {
        var file = try DecryptingFixture.bytes("cbcs-video.mp4")
        let schemes = Array("cbcs".utf8)
        let place = try #require(file.firstRange(of: Array("schm".utf8) + [0, 0, 0, 0] + schemes))
        file.replaceSubrange(place.upperBound - 4..<place.upperBound, with: Array("odkm".utf8))
        #expect {
            _ = try decrypted(file, TestKeys.all())
        } throws: {
            ($0 as? DecryptionError)?.reason.contains("the scheme odkm") ?? false
        }
    }

    @Test(
        "Truncated and damaged files are errors, and end no program",
        arguments: [
            "cenc-video.mp4", "cbc1-video.mp4", "cbcs-video.mp4", "cbcs-audio.mp4", "rotation-video.mp4",
        ]
    )
    func damage(name: String) throws {
        let file = try DecryptingFixture.bytes(name)
        let keys = try TestKeys.all([(TestKeys.bytes("23456789abcdef0123456789abcdef01"), TestKeys.video)])
        func attempt(_ bytes: [UInt8]) -> Bool {
            do {
                _ = try decrypted(bytes, keys)
                return true
            } catch is DecryptionError {
            } catch is ParseError {
            } catch {
                Issue.record("\(error)")
            }
            return false
        }
        var succeeded = 0
        for end in stride(from: 0, to: file.count, by: 67) where attempt(Array(file[..<end])) { succeeded += 1 }
        // A file truncated at the end of a fragment is valid.
        #expect(succeeded <= 2)
        for (number, index) in file.indices.prefix(2600).enumerated() where number.isMultiple(of: 2) {
            var damaged = file
            damaged[index] = [file[index] ^ 0x01, file[index] ^ 0x80, 0xFF, 0][number / 2 % 4]
            _ = attempt(damaged)
        }
    }
}
