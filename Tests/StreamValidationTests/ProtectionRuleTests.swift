import DRMSignaling
import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("A fault of encryption violates exactly its rule")
struct ProtectionRuleTests {
    private static let keyID: [UInt8] = Array(0x10..<0x20)
    private static let iv: [UInt8] = Array(0x30..<0x40)
    private static let key =
        #"#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1""#

    private static func protect(_ track: inout TrackMeasurement) {
        var protection = TrackFormat.Protection(scheme: "cbcs", keyID: KeyID(keyID))
        if track.format.kind == .video { (protection.cryptByteBlock, protection.skipByteBlock) = (1, 9) }
        (protection.constantIVSize, protection.constantIVHash) = (16, TrackFormat.Protection.hash(iv))
        track.format.protection = protection
        track.encryptedSampleCount = track.sampleCount
        track.keyIDs = [KeyID(keyID)].compactMap { $0 }
    }

    /// An encrypted presentation with a change of its tracks.
    private static func made(
        _ keys: String = key,
        _ change: @escaping (String, Int, inout TrackMeasurement) -> Void = { _, _, _ in }
    ) -> MadePresentation {
        var made = MadePresentation()
        for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] {
            made.playlists[name] = MadePresentation.media(keys + "\n")
        }
        made.change = { name, index, track in
            protect(&track)
            change(name, index, &track)
        }
        return made
    }

    @Test("Nothing is found without a fault")
    func clean() throws { #expect(try Self.made().findings() == []) }

    @Test("of the IV attribute")
    func initializationVector() throws {
        let text = Self.iv.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        #expect(try Self.made(Self.key + ",IV=0x\(text)").findings() == [])
        let other = text.replacing("30", with: "31")
        #expect(try Self.made(Self.key + ",IV=0x\(other)").findings() == ["must enc-iv-attribute-differs"])
    }

    @Test(
        "of the encrypted bytes of pictures",
        arguments: [
            (SubsampleFault.encryptsSliceHeader, "must enc-subsample"), (.encryptsOtherUnit, "should enc-subsample"),
            (.startsLate, "should enc-subsample"), (.leavesSliceClear, "must enc-content-dependent"),
        ]
    )
    func subsamples(fault: SubsampleFault, finding: String) throws {
        let made = Self.made { _, _, track in if track.format.kind == .video { track.subsampleFaults = [fault] } }
        #expect(try made.findings() == [finding])
    }

    @Test("of samples that are encrypted or not")
    func alternation() throws {
        #expect(try Self.made { $2.protectionChanges = 1 }.findings() == [])
        #expect(try Self.made { $2.protectionChanges = 2 }.findings() == ["must enc-content-dependent"])
    }

    @Test("of auxiliary information, which clear fragments do not need")
    func auxiliaryInformation() throws {
        var made = Self.made()
        made.changeSegment = { _, _, segment in
            var structure = MovieStructure([UInt8]().span.bytes)
            (structure.fragmentCount, structure.lacksAuxiliaryInformation) = (1, true)
            segment.structure = structure
        }
        #expect(try made.encryptionFindingsOfTargets() == ["must enc-auxiliary-information"])
        made.changeSegment = { _, _, segment in
            var structure = MovieStructure([UInt8]().span.bytes)
            (structure.fragmentCount, structure.hasSampleGroups) = (1, true)
            segment.structure = structure
        }
        #expect(try made.encryptionFindingsOfTargets() == ["advice enc-sample-groups"])
    }

    @Test("of the keys of I-frames")
    func iFrames() throws {
        let tag =
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=16000,CODECS=\"avc1.64001e\",RESOLUTION=640x360,URI=\"i.m3u8\"\n"
        var made = Self.made()
        made.main += tag
        made.changeSegment = { name, _, segment in if name == "i.m3u8" { segment.byteCount = 12_000 } }
        made.playlists["i.m3u8"] = MadePresentation.media("#EXT-X-I-FRAMES-ONLY\n\(Self.key)\n")
        #expect(try made.findings() == [])
        let other = Self.key.replacing("skd://film", with: "skd://other")
        made.playlists["i.m3u8"] = MadePresentation.media("#EXT-X-I-FRAMES-ONLY\n\(other)\n")
        made.change = { name, _, track in
            Self.protect(&track)
            if name == "i.m3u8" { track.format.protection?.keyID = KeyID(Array(repeating: 1, count: 16)) }
        }
        #expect(try made.findings() == ["should enc-i-frames"])
        made.main = made.main.replacing("CODECS=\"avc1.64001e\",RESOLUTION=640x360,URI", with: "CODECS=\"mjpg\",URI")
        #expect(try made.findings() == ["must enc-i-frames"])
    }

    @Test("of key periods")
    func periods() throws {
        func made(_ changes: [Int], _ others: [Int]) -> MadePresentation {
            func media(_ changes: [Int]) -> String {
                MadePresentation.media(
                    "",
                    segments: (0..<6).map { index in
                        guard let number = changes.firstIndex(of: index) else { return "" }
                        return Self.key.replacing("film", with: "\(number)") + "\n"
                    }
                )
            }
            func number(_ changes: [Int], _ index: Int) -> Int { changes.lastIndex { $0 <= index } ?? 0 }
            var made = Self.made { name, index, track in
                let period = number(name == "audio.m3u8" ? others : changes, index)
                let keyID = KeyID(Array(repeating: UInt8(period + 1), count: 16))
                track.format.protection?.keyID = keyID
                track.keyIDs = [keyID].compactMap { $0 }
            }
            for name in ["high.m3u8", "low.m3u8"] { made.playlists[name] = media(changes) }
            made.playlists["audio.m3u8"] = media(others)
            return made
        }
        #expect(try made([0, 2, 4], [0, 2, 4]).findings() == [])
        #expect(try made([0], [0, 2, 4]).findings() == [])
        #expect(try made([0, 2, 3], [0, 2, 3]).findings() == ["should enc-key-period-short"])
        #expect(try made([0, 2, 4], [0, 2]).findings() == ["should enc-rotation-apart"])
        #expect(try made([0, 2], [0, 4]).findings() == ["should enc-rotation-apart"])
    }

    @Test("of keys of other systems that stay in force")
    func stale() throws {
        let other = "#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT=\"com.microsoft.playready\",URI=\"data:,1\"\n"
        func findings(_ change: String) throws -> [String] {
            var made = Self.made { _, index, track in
                let keyID = KeyID(Array(repeating: index < 2 ? 1 : 2, count: 16))
                track.format.protection?.keyID = keyID
                track.keyIDs = [keyID].compactMap { $0 }
            }
            let next = Self.key.replacing("film", with: "next") + "\n"
            for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] {
                made.playlists[name] = MadePresentation.media(
                    "\(Self.key)\n\(other)",
                    segments: ["", "", next + change, ""]
                )
            }
            return try made.findings()
        }
        #expect(try findings(other.replacing("data:,1", with: "data:,2")) == [])
        #expect(try findings("") == ["should enc-key-stale"])
    }

    @Test("of the headers of protection systems, in the init segment and in the playlist")
    func systemHeaders() throws {
        let own = try #require(ContentKeyID(Self.keyID))
        let other = try #require(ContentKeyID(Array(repeating: 7, count: 16)))
        func findings(_ header: ProtectionSystemSpecificHeader) throws -> [String] {
            let box = ProtectionSystemHeaderBox(
                systemID: header.systemID.bytes,
                keyIDs: header.keyIDs?.map(\.bytes),
                data: header.data
            )
            return try Self.made { $2.format.protection?.systems = [box] }.findings()
        }
        func widevine(_ keyID: ContentKeyID) -> ProtectionSystemSpecificHeader {
            .init(systemID: .widevine, data: WidevineHeader(keyIDs: [keyID], scheme: .cbcs).bytes)
        }
        func playReady(_ scheme: CommonEncryptionScheme) throws -> ProtectionSystemSpecificHeader {
            let header = PlayReadyHeader(keyIDs: [own], scheme: scheme)
            return .init(systemID: .playReady, data: try PlayReadyObject(header).bytes)
        }
        #expect(try findings(widevine(own)) == [] && findings(playReady(.cbcs)) == [])
        #expect(try findings(widevine(other)) == ["must enc-kid-not-in-pssh"])
        #expect(try findings(.init(systemID: .common, keyIDs: [other])) == ["must enc-kid-not-in-pssh"])
        #expect(try findings(playReady(.cenc)) == ["must enc-playready-algorithm"])
        let tag =
            "#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT=\"\(KeyFormat.widevine.rawValue)\",URI=\"data:text/plain;base64,"
        #expect(try Self.made(Self.key + "\n\(tag)\(widevine(own).base64)\"").findings() == [])
        let wrong = try Self.made(Self.key + "\n\(tag)\(widevine(other).base64)\"").findings()
        #expect(wrong == ["must enc-kid-not-in-pssh"])
    }
}
