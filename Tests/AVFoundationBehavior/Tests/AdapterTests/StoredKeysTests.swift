import AVFoundation
import AVFoundationTesting
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation
import KeywayTesting
import Testing

@Suite("An app's own store, as docs/key-loader.md describes it", .timeLimit(.minutes(10))) struct StoredKeysTests {
    private func keys(_ store: TestPersistentKeys, _ scene: AdapterScene, isDownload: Bool) -> StoredKeys {
        StoredKeys(
            in: store,
            folder: scene.folder.appendingPathComponent("sessions"),
            service: scene.service.keys,
            transport: scene.server,
            isDownload: isDownload,
            clock: scene.system.clock
        )
    }

    @Test("A key is stored before a download, plays without a server, and is replaced at first playback")
    func plays() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let store = TestPersistentKeys()
            let download = keys(store, scene, isDownload: true)
            scene.background { await download.loader.run() }
            try await scene.finish { try await download.session.load(["skd://film"], by: download.loader) }
            download.session.expire()
            let stored = try #require(store.keys["skd://film"])

            scene.server.injectAlways(.noConnection)
            let playback = keys(store, scene, isDownload: false)
            scene.background { await playback.loader.run() }
            let playing = await scene.play(playback.session)
            try await scene.until("the film plays") { await playing.isReady }
            try await scene.until("the key is replaced") { store.keys["skd://film"] != stored }
            playback.session.expire()
        }
    }

    @Test("A key that may not be stored is an error before a download")
    func refused() async throws {
        try await AdapterScene.run { scene in
            let store = TestPersistentKeys()
            let download = keys(store, scene, isDownload: true)
            scene.background { await download.loader.run() }
            await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await download.session.load(["skd://film"], by: download.loader) }
            }
            #expect(store.keys.isEmpty)
        }
    }
}
