import FPSCrypto
package import KeyStore
import Testing

extension KeyStoreContract {
    static let titles: [KeyStoreContract] = [
        .init("A title is stored with every field, and with its defaults") { store in
            try await store.putPolicy(try Sample.policy("premium"), replacing: false)
            let full = try TitleRecord(
                name: "film",
                titleID: Array(repeating: 5, count: 16),
                policyName: "premium",
                keyURITemplate: "skd://{title}/{track}",
                time: 1_000
            )
            let plain = try TitleRecord(name: "plain", time: 2_000)
            #expect(try await store.putTitle(full, replacing: false) == .created)
            #expect(try await store.putTitle(plain, replacing: false) == .created)
            #expect(try await store.title(name: "film") == full)
            #expect(try await store.title(name: "plain") == plain)
            #expect(plain.titleID == Array(SHA256.hash(Array("plain".utf8)).prefix(16)))
            #expect(try await store.title(name: "nothing") == nil)
        },
        .init("A title is not overwritten unless requested, and replacing it preserves the creation time") { store in
            try await store.putTitle(try TitleRecord(name: "film", time: 1_000), replacing: false)
            let second = try TitleRecord(name: "film", titleID: Array(repeating: 9, count: 16), time: 2_000)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putTitle(second, replacing: false)
            }
            #expect(try await store.putTitle(second, replacing: true) == .replaced)
            let found = try #require(try await store.title(name: "film"))
            #expect(found.titleID == second.titleID)
            #expect(found.created == 1_000)
            #expect(found.updated == 2_000)
        },
        .init("Titles are listed by name, page by page") { store in
            for name in ["b", "A", "a", "c"] {
                try await store.putTitle(try TitleRecord(name: name, time: 0), replacing: false)
            }
            #expect(try await store.titles(after: nil, limit: 10).map(\.name) == ["A", "a", "b", "c"])
            #expect(try await store.titles(after: nil, limit: 2).map(\.name) == ["A", "a"])
            #expect(try await store.titles(after: "a", limit: 10).map(\.name) == ["b", "c"])
        },
        .init("A track is stored with every field, in its title only") { store in
            try await store.putPolicy(try Sample.policy("premium"), replacing: false)
            for name in ["film", "other"] {
                try await store.putTitle(try TitleRecord(name: name, time: 0), replacing: false)
            }
            let uhd = try TrackRecord(
                title: "film",
                name: "uhd",
                kind: .uhd,
                streamID: Array(repeating: 6, count: 16),
                policyName: "premium"
            )
            let audio = try TrackRecord(title: "film", name: "audio", kind: .audio)
            let other = try TrackRecord(title: "other", name: "audio", kind: .audio)
            for track in [uhd, audio, other] {
                #expect(try await store.putTrack(track, replacing: false) == .created)
            }
            #expect(try await store.tracks(title: "film") == [audio, uhd])
            #expect(try await store.tracks(title: "other") == [other])
            #expect(try await store.tracks(title: "nothing").isEmpty)
            #expect(audio.streamID != other.streamID)
            let replaced = try TrackRecord(title: "film", name: "uhd", kind: .hd)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putTrack(replaced, replacing: false)
            }
            #expect(try await store.putTrack(replaced, replacing: true) == .replaced)
            #expect(try await store.tracks(title: "film") == [audio, replaced])
        },
        .init("Titles and tracks refer only to existing records") { store in
            let title = try TitleRecord(name: "film", policyName: "missing", time: 0)
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.putTitle(title, replacing: false)
            }
            let track = try TrackRecord(title: "film", name: "hd", kind: .hd)
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.putTrack(track, replacing: false)
            }
            try await store.putTitle(try TitleRecord(name: "film", time: 0), replacing: false)
            let bound = try TrackRecord(title: "film", name: "hd", kind: .hd, policyName: "missing")
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.putTrack(bound, replacing: false)
            }
            #expect(try await store.tracks(title: "film").isEmpty)
        },
        .init(
            "A record that others refer to cannot be deleted: a title with tracks, a track with keys, a used policy"
        ) {
            store in
            for policy in ["title", "track"] {
                try await store.putPolicy(try Sample.policy(policy), replacing: false)
            }
            try await store.putTitle(try TitleRecord(name: "film", policyName: "title", time: 0), replacing: false)
            let track = try TrackRecord(title: "film", name: "hd", kind: .hd, policyName: "track")
            try await store.putTrack(track, replacing: false)
            let period = try Sample.period("film", "hd", 1)
            try await store.putContent(period, replacing: false)
            for policy in ["title", "track"] {
                await expectError(.conflict) { () throws(KeyStoreError) in
                    try await store.deletePolicy(name: policy)
                }
            }
            await expectError(.conflict) { () throws(KeyStoreError) in try await store.deleteTitle(name: "film") }
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.deleteTrack(title: "film", name: "hd")
            }
            #expect(try await store.deleteContent(assetID: period.info.assetID))
            #expect(try await store.deleteTrack(title: "film", name: "hd"))
            #expect(try await store.deleteTrack(title: "film", name: "hd") == false)
            #expect(try await store.deleteTitle(name: "film"))
            #expect(try await store.deleteTitle(name: "film") == false)
            #expect(try await store.deletePolicy(name: "title"))
            #expect(try await store.deletePolicy(name: "track"))
        },
        .init("Replacing a title or a track does not affect the records that refer to it") { store in
            try await store.putFilm()
            try await store.putContent(try Sample.period("film", "hd", 1), replacing: false)
            try await store.putTitle(try TitleRecord(name: "film", keyURITemplate: "skd://x", time: 5), replacing: true)
            try await store.putTrack(try TrackRecord(title: "film", name: "hd", kind: .uhd), replacing: true)
            #expect(try await store.tracks(title: "film").map(\.kind) == [.audio, .uhd])
            #expect(try await store.keyPeriods(title: "film", track: "hd").count == 1)
        },
    ]
}

extension Sample {
    /// Returns a key period whose key ID consists of one byte, 16 times.
    package static func period(
        _ title: String,
        _ track: String,
        _ number: UInt8,
        policy: String? = nil,
        from: Int64? = nil,
        until: Int64? = nil
    ) throws -> ContentRecord {
        let keyID = [UInt8](repeating: number, count: 16)
        return try ContentRecord(
            assetID: ContentInfo.assetID(forKeyID: keyID),
            keyID: keyID,
            contentKey: secret(),
            iv: Array(repeating: 7, count: 16),
            policyName: policy,
            titleName: title,
            trackName: track,
            validFrom: from,
            validUntil: until,
            time: 1_000
        )
    }
}

extension KeyServerStore {
    /// Stores a title with the tracks audio and hd.
    package func putFilm(_ name: String = "film") async throws {
        try await putTitle(try TitleRecord(name: name, time: 0), replacing: false)
        for (track, kind) in [("audio", ContentTrack.audio), ("hd", .hd)] {
            try await putTrack(try TrackRecord(title: name, name: track, kind: kind), replacing: false)
        }
    }
}
