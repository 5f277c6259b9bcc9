import KeyStore
import Testing

extension KeyStoreContract {
    static let channels: [KeyStoreContract] = [
        .init("A channel's schedule is stored with every field, and replacing it preserves the creation time") {
            store in
            try await store.putFilm()
            #expect(try await store.channel(title: "film") == nil)
            let first = try ChannelRecord(
                title: "film",
                tracks: ["hd", "audio"],
                length: 600,
                ahead: 7_200,
                start: 1_000,
                isPaused: true,
                time: 10
            )
            #expect(try await store.putChannel(first, replacing: false, audit: nil) == .created)
            #expect(try await store.channel(title: "film") == first)
            #expect(first.tracks == ["audio", "hd"])
            let second = try ChannelRecord(title: "film", tracks: ["audio"], length: 60, ahead: 0, time: 20)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putChannel(second, replacing: false, audit: nil)
            }
            #expect(try await store.putChannel(second, replacing: true, audit: nil) == .replaced)
            let found = try #require(try await store.channel(title: "film"))
            #expect(found.tracks == ["audio"] && found.length == 60 && found.ahead == 0)
            #expect(found.start == nil && !found.isPaused)
            #expect(found.created == 10 && found.updated == 20)
        },
        .init("A schedule refers to an existing title and tracks, and a track in a schedule cannot be deleted") {
            store in
            try await store.putFilm()
            for (title, tracks) in [("nothing", ["hd"]), ("film", ["hd", "uhd"])] {
                let record = try ChannelRecord(title: title, tracks: tracks, length: 600, ahead: 0, time: 0)
                await expectError(.missingReference) { () throws(KeyStoreError) in
                    try await store.putChannel(record, replacing: false, audit: nil)
                }
            }
            #expect(try await store.allChannels().isEmpty)
            let record = try ChannelRecord(title: "film", tracks: ["hd"], length: 600, ahead: 0, time: 0)
            try await store.putChannel(record, replacing: false, audit: nil)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.deleteTrack(title: "film", name: "hd")
            }
            #expect(try await store.deleteChannel(title: "film", audit: nil))
            #expect(try await store.deleteChannel(title: "film", audit: nil) == false)
            #expect(try await store.channel(title: "film") == nil)
            #expect(try await store.deleteTrack(title: "film", name: "hd"))
        },
        .init("Schedules are listed by title, page by page") { store in
            for title in ["c", "a", "b"] {
                try await store.putFilm(title)
                let record = try ChannelRecord(title: title, tracks: ["hd"], length: 600, ahead: 0, time: 0)
                try await store.putChannel(record, replacing: false, audit: nil)
            }
            #expect(try await store.channels(after: nil, limit: 2).map(\.title) == ["a", "b"])
            #expect(try await store.channels(after: "b", limit: 2).map(\.title) == ["c"])
            #expect(try await store.allChannels().map(\.title) == ["a", "b", "c"])
        },
    ]
}
