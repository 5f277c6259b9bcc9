import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation

/// A film as the app's own service describes it.
public struct Film: Codable, Sendable {
    /// By which the app knows it, its title for people, and its Multivariant Playlist.
    public var name: String, title: String, url: URL
    /// The URIs of its EXT-X-KEY tags. No API of Apple's names them before playback.
    public var keys: [String]
}

/// Keys and players of one service's films. Make one, and let ``run()`` go on for as long as the app does.
public final class FilmKeys: Sendable {
    /// What is downloaded, and how far it is.
    public let downloads = AssetDownloads(identifier: "film-downloads")
    private let keptKeys: KeyFile
    // What is kept and what is streamed are asked for in different ways, so each has a session.
    private let online: PlatformContentKeySession
    private let offline: PlatformContentKeySession
    private let onlineLoader: KeyLoader
    private let offlineLoader: KeyLoader

    /// Names the key server, a folder of the app that is not backed up, and who gives tokens.
    public init(server: String, folder: URL, token: @escaping @Sendable () async throws -> String) {
        let service = KeyService.keyway(server) { _ in PlaybackToken(try await token()) }
        let transport = URLSessionTransport()
        keptKeys = KeyFile(folder.appendingPathComponent("keys.plist"))
        online = PlatformContentKeySession(storageDirectory: folder)
        onlineLoader = KeyLoader(source: online, service: service, transport: transport)
        offline = PlatformContentKeySession(keptKeys: keptKeys) { _ in true }
        var settings = KeyLoaderSettings()
        settings.keptKeys = keptKeys
        offlineLoader = KeyLoader(source: offline, service: service, transport: transport, settings: settings)
    }

    /// Answers for keys, and notes where downloads lie.
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

    /// Streams a film.
    @MainActor public func player(for film: Film) -> AVPlayer { player(AVURLAsset(url: film.url), online) }

    /// Call it when a film's page is opened, and its keys are there when the viewer presses play.
    public func prepare(_ film: Film) async { await onlineLoader.preload(film.keys) }

    /// Downloads a film: first its keys, then the rest, which goes on while the app does not run.
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

    /// Plays what was downloaded; nil where it is not all there. An expired key is asked for again: the server decides.
    @MainActor public func offlinePlayer(for film: Film) -> AVPlayer? {
        guard let path = UserDefaults.standard.string(forKey: film.name) else { return nil }
        let asset = AVURLAsset(url: AssetDownloads.location(ofRelativePath: path))
        return asset.assetCache?.isPlayableOffline == true ? player(asset, offline) : nil
    }

    /// Deletes a film, and makes what proves to the server that its keys are void.
    public func delete(_ film: Film, context: ServerPlaybackContext) async throws -> [[UInt8]] {
        var proofs: [[UInt8]] = []
        for identifier in film.keys {
            guard let key = await keptKeys.key(for: identifier) else { continue }
            proofs.append(try await offline.invalidatePersistableContentKey(key, context: context))
            await keptKeys.forget(identifier)
        }
        if let path = UserDefaults.standard.string(forKey: film.name) {
            try FileManager.default.removeItem(at: AssetDownloads.location(ofRelativePath: path))
            UserDefaults.standard.removeObject(forKey: film.name)
        }
        return proofs
    }

    /// What went wrong of late, with what the viewer can do.
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
