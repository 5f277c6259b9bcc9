import DRMSignaling
import FPSCrypto
import KeyStore
import KeyStoreTestSupport
import Testing
import TextCoding

@testable import KeyServer

@Suite("Import and export of keys")
struct KeyImportTests {
    private let store = InMemoryKeyStore()
    private static let header = "title,track,kind,asset,kid,key,iv,policy,stream,valid_from,valid_until\n"
    private static let digits = "000102030405060708090a0b0c0d0e0f"

    /// Returns a row with its own key.
    private static func row(
        _ title: String = "",
        _ track: String = "",
        kind: String = "",
        asset: String = "",
        kid: Int? = nil,
        policy: String = "",
        stream: String = "",
        from: String = "",
        until: String = ""
    ) -> String {
        let keyID = kid.map { number in Hexadecimal.encode([UInt8](repeating: UInt8(number), count: 16)) } ?? ""
        return [title, track, kind, asset, keyID, digits, digits, policy, stream, from, until].joined(separator: ",")
            + "\n"
    }

    private func plan(
        _ text: String,
        resumes: Bool = false,
        replaces: Bool = false,
        into other: (any KeyServerStore)? = nil
    ) async throws -> KeyImport {
        let (rows, mistakes) = try KeyRow.rows(ofFile: Array(text.utf8))
        return try await KeyImport(
            rows: rows,
            mistakes: mistakes,
            into: other ?? store,
            options: .init(resumes: resumes, replaces: replaces),
            time: 1_000
        )
    }

    private func export(_ title: String? = nil, as format: KeyExport.Format = .csv) async throws -> String {
        var bytes: [UInt8] = []
        _ = try await KeyExport.write(title: title, as: format, from: store) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Keys with title and track create both, and keys without have no title")
    func imports() async throws {
        let text =
            Self.header + Self.row("film", "audio", kid: 1)
            + Self.row("film", "hd", kid: 2, stream: Self.digits, from: "2026-01-01T00:00:00Z", until: "1767312000")
            + Self.row("film", "hd", kid: 3, from: "1767312000") + Self.row("film", "main", kind: "uhd", kid: 4)
            + Self.row(kind: "audio", asset: "alone") + Self.row(asset: "0x00ff", kid: 5) + Self.row(kid: 6)
        let keys = try await plan(text)
        #expect(keys.summary.mistakes.isEmpty)
        #expect(keys.summary.new == 7)
        #expect(keys.summary.newTitles == 1)
        #expect(keys.summary.newTracks == 3)
        #expect(try await store.contents(after: nil, limit: 10).isEmpty)

        try await keys.write(into: store)
        let tracks = try await store.tracks(title: "film")
        #expect(tracks.map(\.name) == ["audio", "hd", "main"])
        #expect(tracks.map(\.kind) == [.audio, .hd, .uhd])
        #expect(tracks[1].streamID == Array(0..<16))
        #expect(tracks[0].streamID == TrackRecord.defaultStreamID(title: "film", track: "audio"))
        let periods = try await store.keyPeriods(title: "film", track: "hd")
        #expect(periods.map(\.validFrom) == [1_767_225_600, 1_767_312_000])
        #expect(periods.map(\.validUntil) == [1_767_312_000, nil])
        #expect(periods[0].assetID == Array("02020202020202020202020202020202".utf8))
        let alone = try #require(try await store.content(assetID: Array("alone".utf8)))
        #expect(alone.info.track == .audio)
        #expect(alone.info.streamID == ContentDefaults.streamID(forAssetID: Array("alone".utf8)))
        #expect(alone.contentKey == SecretBytes(copying: Array(0..<16)))
        #expect(alone.iv == Array(0..<16))
        #expect(try await store.content(assetID: [0, 0xFF]) != nil)
        #expect(try await store.content(keyID: Array(repeating: 6, count: 16)) != nil)
    }

    @Test("With one error nothing is written; every error has its line")
    func mistakes() async throws {
        try await store.putPolicy(
            try ContentDefaults.policy(name: "main", json: Array(#"{"securityLevel": "main"}"#.utf8)),
            replacing: false
        )
        let lines = [
            Self.row(asset: "good"), Self.row(asset: "x"), Self.row(), Self.row("film", "", kid: 1),
            Self.row("film", "hd", asset: "no-kid"), Self.row("film", "h d", kid: 2), Self.row(asset: "good"),
            Self.row(asset: "one", kid: 3), Self.row(asset: "two", kid: 3), Self.row(asset: "three", policy: "none"),
            Self.row(kind: "audio", asset: "four", policy: "main"), Self.row(asset: "five", from: "2", until: "1"),
            Self.row(asset: "six", from: "yesterday"), Self.row(kind: "picture", asset: "seven"),
            Self.row(asset: "0xzz"), Self.row("film", "sd", kid: 7), Self.row("film", "sd", kind: "hd", kid: 8),
            Self.row("film", "sd", kind: "uhd", kid: 9), ",,,asset8,,00,\(Self.digits),,,,\n",
            ",,,asset9,,,\(Self.digits),,,,\n",
        ]
        let keys = try await plan(Self.header + lines.joined())
        let expected = [3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 19, 20, 21]
        #expect(keys.summary.mistakes.map(\.line) == expected)
        let holdsKeys = "\(keys.summary.mistakes)".contains(Self.digits.prefix(8))
        #expect(!holdsKeys)
        await #expect(throws: KeyStoreError(.invalidRecord, place: "")) { try await keys.write(into: store) }
        #expect(try await store.contents(after: nil, limit: 10).isEmpty)
        #expect(try await store.titles(after: nil, limit: 10).isEmpty)
    }

    @Test("A change that does not fit tracks and keys outside of the file is an error")
    func untouched() async throws {
        for (name, json) in [("main", #"{"securityLevel": "main"}"#), ("free", "{}")] {
            try await store.putPolicy(try ContentDefaults.policy(name: name, json: Array(json.utf8)), replacing: false)
        }
        let first = Self.header + Self.row("film", "audio", kid: 1) + Self.row("film", "hd", kid: 2, policy: "main")
        try await plan(first).write(into: store)
        let head = "title,track,kind,kid,key,iv,title_policy,policy\n"
        func row(_ track: String, kind: String = "", _ kid: String, title policy: String = "") -> String {
            let keyID = String(repeating: kid, count: 32)
            return "film,\(track),\(kind),\(keyID),\(Self.digits),\(Self.digits),\(policy),\n"
        }
        // The audio track is unchanged, but would use the title's new policy.
        let title = try await plan(head + row("hd", "9", title: "main"), replaces: true)
        #expect(title.summary.mistakes.map(\.line) == [2])
        #expect(title.summary.mistakes.first?.reason.contains("film/audio") == true)
        #expect(try await plan(head + row("hd", "9", title: "free"), replaces: true).summary.mistakes.isEmpty)
        // A key of the track is unchanged, and is for video only, unless the file replaces it as well.
        let track = head + row("hd", kind: "audio", "9")
        #expect(try await plan(track, replaces: true).summary.mistakes.map(\.line) == [2])
        let both = track + "film,hd,,02020202020202020202020202020202,\(Self.digits),\(Self.digits),,free\n"
        #expect(try await plan(both, replaces: true).summary.mistakes.isEmpty)
    }

    @Test(
        "A file that is not a table of keys is refused as a whole",
        arguments: [
            ("", 1), ("asset\n", 1), ("asset,key\n", 1), ("asset,key,iv,key\n", 1), ("asset,key,iv,price\n", 1),
            ("asset,key,iv\na\n", 2), ("<CPIX/>", 1), (" <", 1), ("asset,key,iv\n", 1),
            (#"<CPIX xmlns="urn:dashif:org:cpix" contentId="a" version="2.3"/>"#, 1),
        ]
    )
    func files(_ text: String, _ line: Int) {
        #expect { try KeyRow.rows(ofFile: Array(text.utf8)) } throws: { ($0 as? KeyFileError)?.line == line }
    }

    @Test("An import that was interrupted after a batch is resumed; different existing keys are reported")
    func resumes() async throws {
        let rows = (0..<600).map { Self.row(asset: "asset \($0)") }
        let first = try await plan(Self.header + rows[..<500].joined())
        try await first.write(into: store)
        let again = try await plan(Self.header + rows.joined())
        #expect(again.summary.mistakes.count == 500)
        let resumed = try await plan(Self.header + rows.joined(), resumes: true)
        #expect(resumed.summary == summary(new: 100, same: 500))
        try await resumed.write(into: store)
        let done = try await plan(Self.header + rows.joined(), resumes: true)
        #expect(done.summary == summary(same: 600))

        let changed = Self.row(kind: "audio", asset: "asset 7")
        let differs = try await plan(Self.header + changed, resumes: true)
        #expect(differs.summary.replaced == 1)
        #expect(differs.summary.mistakes.map(\.line) == [2])
        let replacing = try await plan(Self.header + changed, replaces: true)
        #expect(replacing.summary == summary(replaced: 1))
        try await replacing.write(into: store)
        #expect(try await store.content(assetID: Array("asset 7".utf8))?.info.track == .audio)
    }

    @Test("Every batch is one transaction of at most 500 keys, and fails if a key was stored meanwhile")
    func batches() async throws {
        let text = Self.header + (0..<1_201).map { Self.row(asset: "asset \($0)") }.joined()
        let keys = try await plan(text)
        var counts: [Int] = []
        try await keys.write(into: store) { counts.append($0) }
        #expect(counts == [500, 1_000, 1_201])
        let other = InMemoryKeyStore()
        let second = try await plan(text, into: other)
        let meanwhile = try #require(try await store.content(assetID: Array("asset 700".utf8)))
        try await other.putContent(meanwhile, replacing: false)
        await #expect(throws: KeyStoreError(.conflict, place: "")) { try await second.write(into: other) }
        #expect(try await other.contents(after: nil, limit: 1_000).count == 501)
    }

    @Test("A different existing title or track is changed only on request")
    func catalog() async throws {
        try await (try await plan(Self.header + Self.row("film", "hd", kid: 1))).write(into: store)
        // Omitted values are unchanged.
        let silent = try await plan(Self.header + Self.row("film", "hd", kid: 2))
        #expect(silent.summary == summary(new: 1))
        let text = Self.header + Self.row("film", "hd", kid: 2, stream: Self.digits)
        let refused = try await plan(text)
        #expect(refused.summary.mistakes.map(\.line) == [2])
        let changing = try await plan(text, replaces: true)
        #expect(changing.summary.changed == 1)
        try await changing.write(into: store)
        #expect(try await store.tracks(title: "film").map(\.streamID) == [Array(0..<16)])
    }

    @Test("A key ID of another asset is an error")
    func keyIDs() async throws {
        try await (try await plan(Self.header + Self.row(asset: "one", kid: 1))).write(into: store)
        let second = try await plan(Self.header + Self.row(asset: "two", kid: 1), replaces: true)
        #expect(second.summary.mistakes.map(\.line) == [2])
    }

    @Test("A CSV export creates the same store from an empty one")
    func roundTrip() async throws {
        try await fill()
        let text = try await export()
        let other = InMemoryKeyStore()
        for policy in try await store.policies(after: nil, limit: 10) {
            try await other.putPolicy(policy, replacing: false)
        }
        let keys = try await plan(text, into: other)
        #expect(keys.summary.mistakes.isEmpty)
        try await keys.write(into: other)
        for info in try await store.contents(after: nil, limit: 100) {
            let mine = try #require(try await store.lookup(assetID: info.assetID))
            let theirs = try #require(try await other.lookup(assetID: info.assetID))
            #expect(mine.record.contentKey == theirs.record.contentKey)
            #expect(mine.record.iv == theirs.record.iv)
            #expect(mine.kind == theirs.kind)
            #expect(mine.policies == theirs.policies)
            #expect(mine.streamID == theirs.streamID)
            #expect(mine.titleID == theirs.titleID)
            #expect(mine.title?.keyURITemplate == theirs.title?.keyURITemplate)
            #expect(mine.record.info.keyID == theirs.record.info.keyID)
            #expect(mine.record.info.validFrom == theirs.record.info.validFrom)
            #expect(mine.record.info.validUntil == theirs.record.info.validUntil)
        }
        #expect(try await other.contents(after: nil, limit: 100).count == 5)
        let same = try await plan(text, resumes: true)
        #expect(same.summary == summary(same: 5))
    }

    @Test("A CPIX export of a title is imported with its keys and tracks")
    func cpix() async throws {
        try await fill()
        let text = try await export("film", as: .cpix)
        #expect(text.contains("intendedTrackType=\"HD\""))
        let other = InMemoryKeyStore()
        let keys = try await plan(text, into: other)
        #expect(keys.summary.mistakes.isEmpty)
        #expect(keys.summary.new == 3)
        try await keys.write(into: other)
        for track in try await store.tracks(title: "film") {
            let mine = try await store.keyPeriods(title: "film", track: track.name)
            let theirs = try await other.keyPeriods(title: "film", track: track.name)
            #expect(mine.map(\.assetID) == theirs.map(\.assetID))
            #expect(mine.map(\.keyID) == theirs.map(\.keyID))
            #expect(mine.map(\.validFrom) == theirs.map(\.validFrom))
            for info in mine {
                let key = try await store.content(assetID: info.assetID)?.contentKey
                let found = try await other.content(assetID: info.assetID)?.contentKey
                #expect(key == found)
            }
        }
        #expect(try await other.tracks(title: "film").map(\.kind) == [.audio, .hd])
        await #expect(throws: KeyStoreError(.missingReference, place: "")) { _ = try await export("nothing") }
    }

    @Test("CPIX 2.4 has keys of several contents, and asset IDs in playlist lines")
    func severalContents() async throws {
        var document = CPIXDocument(contentID: "film")
        document.version = .v2_4
        let key = SecretBytes(copying: Array(0..<16))
        for number in UInt8(1)...3 {
            let keyID = try #require(ContentKeyID([UInt8](repeating: number, count: 16)))
            document.contentKeys.append(.init(keyID: keyID, key: key, explicitIV: Array(0..<16), scheme: "cbcs"))
            document.usageRules.append(.init(keyID: keyID, intendedTrackType: "HD"))
            var system = CPIXDocument.DRMSystem(keyID: keyID, systemID: .fairPlay)
            system.mediaPlaylistSignaling = "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://asset-\(number)\""
            document.systems.append(system)
        }
        document.contentKeys[1].contentID = "other"
        document.systems[2].mediaPlaylistSignaling = nil
        let rows = try KeyRow.rows(ofFile: document.xml).rows
        #expect(rows.map(\.title) == ["film", "other", "film"])
        #expect(rows.map(\.assetID) == [Array("asset-1".utf8), Array("asset-2".utf8), nil])
        #expect(rows.map(\.track) == ["hd", "hd", "hd"])
    }

    @Test("CPIX keys without values that FairPlay needs are errors")
    func cpixMistakes() async throws {
        let text = """
            <CPIX xmlns="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"><ContentKeyList>
            <ContentKey kid="00000000-0000-0000-0000-000000000001"/>
            <ContentKey kid="00000000-0000-0000-0000-000000000002"><Data><pskc:Secret><pskc:PlainValue>
            AQIDBAUGBwgJCgsMDQ4PEA==</pskc:PlainValue></pskc:Secret></Data></ContentKey></ContentKeyList></CPIX>
            """
        let (rows, mistakes) = try KeyRow.rows(ofFile: Array(text.utf8))
        #expect(rows.isEmpty)
        #expect(mistakes.map(\.line) == [2, 3])
    }

    @Test("The default asset ID is the part of the key URI after skd://")
    func assetIDs() throws {
        let keyID = [UInt8](repeating: 0xAB, count: 16)
        func assetID(_ template: String?) throws -> String {
            let title = try TitleRecord(name: "film", keyURITemplate: template, time: 0)
            let bytes = try ContentDefaults.assetID(title: title, track: "hd", keyID: keyID, validFrom: 5)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try assetID(nil) == "abababababababababababababababab")
        #expect(try assetID("skd://{title}/{track}/{period}") == "film/hd/5")
        #expect(throws: (any Error).self) { try assetID("https://{kid}") }
        #expect(throws: (any Error).self) { try ContentDefaults.checkKeyURI("skd://") }
        #expect(throws: (any Error).self) { try ContentDefaults.checkKeyURI("skd://{what}") }
    }

    /// A title with policies and periods, and keys without a title.
    private func fill() async throws {
        for name in ["a", "b", "c"] {
            try await store.putPolicy(try PolicyRecord(name: name, document: Array("{}".utf8)), replacing: false)
        }
        let title = try TitleRecord(
            name: "film",
            titleID: Array(repeating: 9, count: 16),
            policyName: "a",
            keyURITemplate: "skd://{title}/{track}?{kid}",
            time: 0
        )
        try await store.putTitle(title, replacing: false)
        try await store.putTrack(try TrackRecord(title: "film", name: "audio", kind: .audio), replacing: false)
        try await store.putTrack(
            try TrackRecord(title: "film", name: "hd", kind: .hd, policyName: "b"),
            replacing: false
        )
        let text =
            Self.header + Self.row("film", "audio", kid: 1) + Self.row("film", "hd", kid: 2, policy: "c", until: "50")
            + Self.row("film", "hd", kid: 3, from: "50") + Self.row(kind: "sd", asset: "0x0000", policy: "c")
            + Self.row(asset: "\"one, two\"", kid: 4)
        let keys = try await plan(text)
        try #require(keys.summary.mistakes.isEmpty)
        try await keys.write(into: store)
    }

    private func summary(new: Int = 0, same: Int = 0, replaced: Int = 0) -> KeyImport.Summary {
        var summary = KeyImport.Summary()
        (summary.new, summary.same, summary.replaced) = (new, same, replaced)
        return summary
    }
}
