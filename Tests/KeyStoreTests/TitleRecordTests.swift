import FPSCrypto
import KeyStore
import Testing

@Suite("Titles, tracks, key periods and tokens reject invalid fields")
struct TitleRecordTests {
    private let error = KeyStoreError(.invalidRecord, place: "")

    @Test("Names are short and plain", arguments: ["", "a b", "a/b", "ä", "a\n", String(repeating: "a", count: 101)])
    func names(_ name: String) {
        #expect(throws: error) { try TitleRecord(name: name, time: 0) }
        #expect(throws: error) { try TitleRecord(name: "a", policyName: name, time: 0) }
        #expect(throws: error) { try TrackRecord(title: name, name: "a", kind: .audio) }
        #expect(throws: error) { try TrackRecord(title: "a", name: name, kind: .audio) }
        #expect(throws: error) { try TrackRecord(title: "a", name: "a", kind: .audio, policyName: name) }
        #expect(throws: error) { try Sample.period(name, "hd", 1) }
        #expect(throws: error) { try Sample.period("film", name, 1) }
        #expect(throws: error) { try AdminTokenRecord.make(name: name, role: .viewer, time: 0) }
    }

    @Test("IDs have 16 bytes", arguments: [0, 15, 17])
    func sizes(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: error) { try TitleRecord(name: "a", titleID: bytes, time: 0) }
        #expect(throws: error) { try TrackRecord(title: "a", name: "a", kind: .audio, streamID: bytes) }
    }

    @Test("A key URI has 1 to 1,000 bytes", arguments: [0, 1, 1_000, 1_001])
    func templates(_ count: Int) throws {
        let make = { try TitleRecord(name: "a", keyURITemplate: String(repeating: "x", count: count), time: 0) }
        if (1...1_000).contains(count) {
            #expect(try make().keyURITemplate?.utf8.count == count)
        } else {
            #expect(throws: error) { try make() }
        }
    }

    @Test("A key period has a title, a track and a key ID, and no stream ID or title ID")
    func periods() throws {
        let id = [UInt8](repeating: 1, count: 16)
        func make(
            title: String? = "film",
            track: String? = "hd",
            keyID: [UInt8]? = Array(repeating: 1, count: 16),
            streamID: [UInt8]? = nil,
            titleID: [UInt8]? = nil
        ) throws -> ContentRecord {
            try ContentRecord(
                assetID: Array("asset".utf8),
                keyID: keyID,
                contentKey: Sample.secret(),
                iv: id,
                streamID: streamID,
                titleID: titleID,
                titleName: title,
                trackName: track,
                time: 0
            )
        }
        #expect(try make().info.trackName == "hd")
        #expect(try make(title: nil, track: nil, streamID: id, titleID: id).info.titleName == nil)
        #expect(throws: error) { try make(title: nil) }
        #expect(throws: error) { try make(track: nil) }
        #expect(throws: error) { try make(keyID: nil) }
        #expect(throws: error) { try make(streamID: id) }
        #expect(throws: error) { try make(titleID: id) }
    }

    @Test("A validity is after 1970, and ends after it starts")
    func validity() throws {
        for (from, until) in [(0, 1), (nil, 5), (5, nil), (nil, nil)] as [(Int64?, Int64?)] {
            #expect(try Sample.period("film", "hd", 1, from: from, until: until).info.validFrom == from)
        }
        for (from, until) in [(-1, nil), (nil, -1), (5, 5), (5, 4)] as [(Int64?, Int64?)] {
            #expect(throws: error) { try Sample.period("film", "hd", 1, from: from, until: until) }
        }
    }

    @Test("Video is video in every resolution")
    func kinds() {
        #expect(ContentTrack.allCases.filter(\.isVideo) == [.video, .sd, .hd, .uhd])
    }

    @Test("Every role except encoder can read, and each has its own permissions")
    func roles() {
        let expected: [AdminRole: Set<AdminPermission>] = [
            .viewer: [.read], .support: [.read, .support], .content: [.read, .content],
            .encoder: [.encode], .admin: [.read, .support, .content, .encode, .administer],
        ]
        for role in AdminRole.allCases {
            let allowed = Set(AdminPermission.allCases.filter { role.allows($0) })
            #expect(allowed == expected[role])
        }
    }

    @Test("Tokens are unique, and a record contains nothing of its token")
    func tokens() throws {
        let (first, token) = try AdminTokenRecord.make(name: "a", role: .viewer, time: 0)
        let (second, other) = try AdminTokenRecord.make(name: "a", role: .viewer, time: 0)
        #expect(token != other)
        #expect(first.hash != second.hash)
        let text = String(decoding: token.reveal(), as: UTF8.self)
        #expect(text.hasPrefix("kwa_"))
        #expect(!"\(first)".contains(text.dropFirst(4)))
    }
}
