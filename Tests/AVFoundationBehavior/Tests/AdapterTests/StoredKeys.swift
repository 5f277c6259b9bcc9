// The code of docs/key-loader.md. StoredKeysTests runs it; DocumentedStoreTests of KeywayTestingTests compares the two.

// begin
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation

/// The persistent keys of one download or one playback, in an app's own store.
struct StoredKeys: Sendable {
    let session: PlatformContentKeySession
    let loader: KeyLoader

    /// - Parameters:
    ///   - folder: A folder for AVFoundation.
    ///   - isDownload: True before a download: a key that cannot be stored is then an error.
    init(
        in store: some VersionedPersistentKeyStore,
        folder: URL,
        service: KeyService,
        transport: any KeyTransport,
        isDownload: Bool,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        // The session stores the keys that the device replaces.
        var sessions = PlatformSessionSettings(storageDirectory: folder, persistentKeys: store, clock: clock)
        sessions.storesKey = { _ in true }
        session = PlatformContentKeySession(.fairPlayStreaming, settings: sessions)
        // The loader stores new keys, and answers with the stored ones.
        var settings = KeyLoaderSettings()
        settings.persistentKeys = store
        settings.requiresPersistence = isDownload
        loader = KeyLoader(source: session, service: service, transport: transport, settings: settings, clock: clock)
    }
}
// end
