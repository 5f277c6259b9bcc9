import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation

/// A film, as described by the app's service.
public struct Film: Codable, Sendable {
    /// The identifier in the app, the title for viewers, and the URL of the Multivariant Playlist.
    public var name: String, title: String, url: URL
    /// The URIs of the EXT-X-KEY tags. Apple has no API that returns them before playback.
    public var keys: [String]
}

/// The keys and players of the films of one service. Create one instance, and call ``run()`` for the lifetime of the app.
public final class FilmKeys: Sendable {
    /// The downloads and their progress.
    public let downloads = AssetDownloads(identifier: "film-downloads")
    private let persistentKeys: PersistentKeyFile
    // Persistent keys and streaming keys are requested differently, so each has a session.
    private let online: PlatformContentKeySession
    private let offline: PlatformContentKeySession
    private let onlineLoader: KeyLoader
    private let offlineLoader: KeyLoader

    /// Creates the sessions.
    ///
    /// - Parameters:
    ///   - server: The URL of the key server.
    ///   - folder: A folder of the app that is not backed up.
    ///   - token: Returns a playback token.
    public init(server: String, folder: URL, token: @escaping @Sendable () async throws -> String) {
        let service = KeyService.keyway(server) { _ in PlaybackToken(try await token()) }
        let transport = URLSessionTransport()
        persistentKeys = PersistentKeyFile(folder.appendingPathComponent("keys.plist"))
        online = PlatformContentKeySession(storageDirectory: folder)
        onlineLoader = KeyLoader(source: online, service: service, transport: transport)
        offline = PlatformContentKeySession(persistentKeys: persistentKeys) { _ in true }
        var settings = KeyLoaderSettings()
        settings.persistentKeys = persistentKeys
        offlineLoader = KeyLoader(source: offline, service: service, transport: transport, settings: settings)
    }

    /// Responds to key requests, and stores the locations of downloads.
    public func run() async {
        async let streaming: Void = onlineLoader.run()
        async let playingOffline: Void = offlineLoader.run()
        for await event in downloads.events {
            guard case .willDownload(let name, let location) = event else { continue }
            UserDefaults.standard.set(AssetDownloads.relativePath(of: location), forKey: name)
            DownloadStoragePolicy(isImportant: true).set(for: location)
        }
        _ = await (streaming, playingOffline)
    }

    /// Returns a player that streams a film.
    @MainActor public func player(for film: Film) -> AVPlayer { player(AVURLAsset(url: film.url), online) }

    /// Requests the keys of a film in advance. Call it when the film's page is opened.
    public func prepare(_ film: Film) async { await onlineLoader.preload(film.keys) }

    /// Downloads a film: first its keys, then the media, which continues while the app is not running.
    public func download(_ film: Film) async throws {
        try await downloads.start(
            AVURLAsset(url: film.url),
            name: film.name,
            title: film.title,
            keys: film.keys,
            session: offline,
            loader: offlineLoader
        )
    }

    /// Returns a player for a downloaded film; nil if the download is not complete. An expired key is requested again, and the
    /// server decides.
    @MainActor public func offlinePlayer(for film: Film) -> AVPlayer? {
        guard let path = UserDefaults.standard.string(forKey: film.name) else { return nil }
        let asset = AVURLAsset(url: AssetDownloads.location(ofRelativePath: path))
        return asset.assetCache?.isPlayableOffline == true ? player(asset, offline) : nil
    }

    /// Deletes a film and its keys.
    ///
    /// - Returns: The messages that prove the deletion of the keys to the server.
    public func delete(_ film: Film, context: ServerPlaybackContext) async throws -> [[UInt8]] {
        var proofs: [[UInt8]] = []
        for identifier in film.keys {
            guard let key = await persistentKeys.key(for: identifier) else { continue }
            proofs.append(try await offline.invalidatePersistableContentKey(key, context: context))
            await persistentKeys.deleteKey(for: identifier)
        }
        if let path = UserDefaults.standard.string(forKey: film.name) {
            try FileManager.default.removeItem(at: AssetDownloads.location(ofRelativePath: path))
            UserDefaults.standard.removeObject(forKey: film.name)
        }
        return proofs
    }

    /// The recent errors, with the actions that the viewer can take.
    public var problems: [String] {
        get async { await (onlineLoader.errorLog.entries + offlineLoader.errorLog.entries).map(\.description) }
    }

    @MainActor private func player(_ asset: AVURLAsset, _ session: PlatformContentKeySession) -> AVPlayer {
        session.platform.addContentKeyRecipient(asset)
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        player.usesExternalPlaybackWhileExternalScreenIsActive = true
        return player
    }
}
