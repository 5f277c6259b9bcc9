import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation

/// The key server of the app, and where the app stores its keys.
public struct FilmService: Sendable {
    /// The addresses of the key server.
    public var server: OfflineKeyService
    /// The transport to the key server.
    public var transport: any KeyTransport
    /// The folder of the keys and of the records of the downloads. It must not be backed up, because only this device
    /// can use the keys.
    public var folder: URL
    /// The identifier of the background session, the same at each launch.
    public var downloadSession = "films"
    /// The settings of the downloads.
    public var downloads = AssetDownloads.Settings()
    /// The clock of all timeouts and waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the time in seconds since 1970.
    public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

    /// Creates the description of a service.
    public init(server: OfflineKeyService, transport: any KeyTransport, folder: URL) {
        (self.server, self.transport, self.folder) = (server, transport, folder)
    }

    /// Returns a service with Keyway's server, whose data is in a folder that is not backed up.
    ///
    /// - Parameters:
    ///   - server: The origin of the key server, such as `https://keys.example`.
    ///   - token: Returns a playback token of the viewer.
    public static func keyway(
        _ server: String,
        token: @escaping @Sendable () async throws -> String
    ) -> FilmService {
        var folder = URL.homeDirectory.appending(path: "Library/Application Support/Films", directoryHint: .isDirectory)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? folder.setResourceValues(values)
        let server = OfflineKeyService.keyway(server) { _ in PlaybackToken(try await token()) }
        return FilmService(server: server, transport: URLSessionTransport(), folder: folder)
    }

    /// Returns the persistent keys of films.
    func persistentKeys(of films: [Film]) -> PlatformPersistentKeys {
        let terms = films.reduce(into: [String: KeyHistoryEntry.Terms]()) { terms, film in
            for key in film.keys { terms[key] = film.terms }
        }
        var settings = PlatformPersistentKeys.Settings(storageDirectory: sessions) { terms[$0] ?? .unknown }
        (settings.session.clock, settings.now) = (clock, now)
        let store = PersistentKeyFile(folder.appending(path: "keys.plist"), now: now)
        return PlatformPersistentKeys(store: store, service: server, transport: transport, settings: settings)
    }

    /// Returns a session that streams, and its loader.
    func streaming() -> (PlatformContentKeySession, KeyLoader) {
        let session = PlatformContentKeySession(settings: .init(storageDirectory: sessions, clock: clock))
        return (session, KeyLoader(source: session, service: server.keys, transport: transport, clock: clock))
    }

    private var sessions: URL { folder.appending(path: "sessions", directoryHint: .isDirectory) }
}
