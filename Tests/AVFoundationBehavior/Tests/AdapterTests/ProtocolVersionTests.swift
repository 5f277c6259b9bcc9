import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import HLSPlaylist
import KeyServerModule
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation

extension KeyTag {
    /// A FairPlay tag with a value of KEYFORMATVERSIONS.
    init(_ uri: String, versions: String?) {
        self.init(method: .sampleAES, uri: uri, keyFormat: .fairPlay, keyFormatVersions: versions)
    }
}

/// The protocol versions of SPCs and of proofs. The server has version 2 only, which a device uses only if the request
/// has it.
@Suite("Protocol versions come from the playlist", .timeLimit(.minutes(10))) struct ProtocolVersionTests {
    private static let film = KeyTag("skd://film", versions: "1/2")

    private func run(_ test: (AdapterScene) async throws -> Void) async throws {
        try await AdapterScene.run { scene in
            scene.server.protocolVersions = [2]
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            try await test(scene)
        }
    }

    @Test("An online key has those of its tag; a key without a tag has version 1")
    func online() async throws {
        try await run { scene in
            let online = scene.online()
            await online.loader.keysDeclared([Self.film])
            let playing = await scene.play(online.session)
            try await scene.until("the film plays") { await playing.isReady }
            let other = scene.online()
            let results = try await scene.finish {
                await other.session.results(of: ["skd://other"], by: other.loader)
            }
            #expect(throws: ContentKeyError.self) { try results["skd://other"]?.get() }
            scene.server.protocolVersions = [1]
            let third = scene.online()
            try await scene.finish { try await third.session.load(["skd://other"], by: third.loader) }
        }
    }

    @Test("A persistent key stores them, for its refresh and its invalidation")
    func persistent() async throws {
        try await run { scene in
            let keys = scene.persistentKeys()
            try await scene.finish { try await keys.acquire(["skd://film"], declaredBy: [Self.film]) }
            // Another run of the app, without the playlist.
            let later = scene.persistentKeys(scene.makeStore())
            #expect(await later.store.protocolVersions(for: "skd://film") == [1, 2])
            let refreshed = try await scene.finish { await later.refresh(["skd://film"]) }
            #expect(throws: Never.self) { try refreshed["skd://film"]?.get() }
            #expect(await later.store.protocolVersions(for: "skd://film") == [1, 2])
            _ = try await scene.finish { try await later.invalidate("skd://film") }
            #expect(scene.server.offlineKeyReports.count == 1)
        }
    }

    @Test("A key that the device no longer accepts is requested again with those of the stored key")
    func expired() async throws {
        try await run { scene in
            let keys = scene.persistentKeys()
            try await scene.finish { try await keys.acquire(["skd://film"], declaredBy: [Self.film]) }
            await scene.system.advance(by: .seconds(1001))
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let playing = await scene.play(playback.session)
            try await scene.until("the film plays") { await playing.isReady }
            running.cancel()
        }
    }

    @Test("Without a tag, an acquired key has version 1")
    func absent() async throws {
        try await run { scene in
            let keys = scene.persistentKeys()
            await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await keys.acquire(["skd://film"]) }
            }
            scene.server.protocolVersions = [1]
            try await scene.finish {
                try await keys.acquire(["skd://film"], declaredBy: [KeyTag("skd://film", versions: nil)])
            }
            #expect(await keys.store.protocolVersions(for: "skd://film") == [1])
        }
    }

    @Test("A download passes its tags on to its keys")
    func download() async throws {
        try await run { scene in
            let app = try DownloadTests.App(scene, identifier: "protocol versions")
            let asset = AVURLAsset(url: scene.publishFilm(["skd://film"]))
            try await scene.finish {
                try await app.downloads.start(
                    asset,
                    name: "film",
                    title: "A film",
                    keys: ["skd://film"],
                    declaredBy: [Self.film]
                )
            }
            #expect(await app.keys.store.protocolVersions(for: "skd://film") == [1, 2])
            try await scene.until("the download finishes") { app.events.all.last == "finish film" }
        }
    }
}
