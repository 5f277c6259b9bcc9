import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

/// A movie of Shaka Packager whose first fragment is not encrypted, in its init segment and its fragments.
struct ClearLeadFixture {
    /// The whole file.
    let file: [UInt8]
    /// The byte ranges of the init segment and of the fragments.
    let ranges: [Range<Int>]

    var parts: [[UInt8]] { ranges.map { Array(file[$0]) } }

    init() throws {
        let bytes = try DecryptingFixture.bytes("rotation-video.mp4")
        let boxes = BoxTree(reading: bytes.span.bytes).boxes
        let movie = try #require(boxes.first { $0.type == "moov" })
        let starts = boxes.filter { $0.type == "moof" }.map(\.offset)
        let fragments = zip(starts, starts.dropFirst() + [bytes.count]).map { $0..<$1 }
        (file, ranges) = (bytes, [0..<movie.offset + movie.size] + fragments)
    }

    /// Returns the key of an encrypted fragment, from 0. Shaka Packager rotates the bytes of the given key and key ID.
    static func key(_ period: Int) -> [UInt8] { Array(TestKeys.video[period...] + TestKeys.video[..<period]) }
    static func keyID(_ period: Int) -> [UInt8] { Array(TestKeys.videoID[period...] + TestKeys.videoID[..<period]) }

    /// Returns the samples of the clear movie by fragment.
    static func clearSamples() throws -> [[[UInt8]]] {
        let all = try samples(DecryptingFixture.bytes("clear.mp4"), of: "vide")
        return stride(from: 0, to: 30, by: 10).map { Array(all[$0..<$0 + 10]) }
    }
}

@Suite("Decrypting the segments of a rendition in memory")
struct RenditionDecryptorTests {
    private static func segment(_ uri: String?, _ format: KeyFormat = .fairPlay) -> RenditionDecryptor.Segment {
        var context = KeyContext()
        if let uri { context.apply(KeyTag(method: .sampleAES, uri: uri, keyFormat: format)) }
        return RenditionDecryptor.Segment(keys: context, mediaSequenceNumber: 0, name: "1.m4s")
    }

    private static func keys(_ uri: String, _ key: [UInt8]) -> DecryptionKeys {
        var keys = DecryptionKeys()
        keys.uris[uri] = DecryptionKey(key: SecretBytes(copying: key))
        return keys
    }

    @Test("The init segment and the clear lead require no key")
    func clearLead() throws {
        let fixture = try ClearLeadFixture()
        let clear = try ClearLeadFixture.clearSamples()
        var decryptor = RenditionDecryptor()
        let header = try decryptor.initialize(fixture.parts[0], name: "init.mp4", key: nil)
        let lead = try decryptor.decrypt(fixture.parts[1], Self.segment(nil), keys: DecryptionKeys())
        #expect(try samples(header + lead, of: "vide") == clear[0])
        // The URI does not contain the key ID.
        let keys = Self.keys("skd://name", ClearLeadFixture.key(0))
        let next = try decryptor.decrypt(fixture.parts[2], Self.segment("skd://name"), keys: keys)
        #expect(try samples(header + next, of: "vide") == clear[1])
        #expect(!BoxTree(reading: (header + lead + next).span.bytes).description.contains("sinf"))
    }

    @Test("Encrypted samples without an EXT-X-KEY tag are an error")
    func missingTag() throws {
        let fixture = try ClearLeadFixture()
        var decryptor = RenditionDecryptor()
        _ = try decryptor.initialize(fixture.parts[0], name: "init.mp4", key: nil)
        let error = #expect(throws: DecryptionError.self) {
            try decryptor.decrypt(fixture.parts[2], Self.segment(nil), keys: DecryptionKeys())
        }
        #expect(error?.code == .missingKey)
        #expect(error?.reason.hasPrefix("its samples are encrypted, and no EXT-X-KEY tag applies") == true)
        let stream = try DecryptingFixture.bytes("sample-aes-video-1.ts")
        let other = #expect(throws: DecryptionError.self) {
            try decryptor.decrypt(stream, Self.segment(nil), keys: DecryptionKeys())
        }
        #expect(other?.code == .missingKey)
        let clear = try DecryptingFixture.bytes("clear-video-1.ts")
        #expect(try decryptor.decrypt(clear, Self.segment(nil), keys: DecryptionKeys()) == clear)
    }

    @Test("The key in a data: URI decrypts, and a key ID in it is not used as the key")
    func embeddedKey() throws {
        let fixture = try ClearLeadFixture()
        var decryptor = RenditionDecryptor()
        let header = try decryptor.initialize(fixture.parts[0], name: "init.mp4", key: nil)
        func uri(_ bytes: [UInt8]) -> String { "data:text/plain;base64," + Data(bytes).base64EncodedString() }
        let output = try decryptor.decrypt(
            fixture.parts[2],
            Self.segment(uri(ClearLeadFixture.key(0)), .identity),
            keys: DecryptionKeys()
        )
        #expect(try samples(header + output, of: "vide") == ClearLeadFixture.clearSamples()[1])
        let error = #expect(throws: DecryptionError.self) {
            try decryptor.decrypt(
                fixture.parts[2],
                Self.segment(uri(ClearLeadFixture.keyID(0)), .identity),
                keys: DecryptionKeys()
            )
        }
        #expect(error?.reason.contains("contains the key ID") == true)
    }

    @Test("A segment of MP4 requires an init segment, complete boxes and samples")
    func movieSegments() throws {
        let part = try DecryptingFixture.bytes("segments-1.m4s")
        var decryptor = RenditionDecryptor()
        func failure(_ bytes: [UInt8]) throws -> (any Error)? {
            do {
                _ = try decryptor.decrypt(bytes, Self.segment(nil), keys: DecryptionKeys())
                return nil
            } catch {
                return error
            }
        }
        #expect((try failure(part) as? DecryptionError)?.code == .missingInitialization)
        _ = try decryptor.initialize(try DecryptingFixture.bytes("clear.mp4"), name: "init.mp4", key: nil)
        #expect(try failure(part) == nil)
        #expect(try failure(Array(part.dropLast())) != nil)
        let empty: [UInt8] = [0, 0, 0, 16] + Array("stypmsdh".utf8) + [0, 0, 0, 0]
        #expect((try failure(empty) as? DecryptionError)?.code == .notMedia)
    }
}
