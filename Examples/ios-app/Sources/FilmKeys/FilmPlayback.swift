import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation

/// A playback of one film: its key session, the loader that answers the session's requests, and its player.
///
/// Each playback has a session of its own, because AVFoundation does not request a key again that a session has loaded.
@MainActor
final class FilmPlayback {
    private(set) var player: AVPlayer?
    private let session: PlatformContentKeySession
    private let loader: KeyLoader
    private let running: Task<Void, Never>

    /// Creates a playback from the network.
    init(streaming service: FilmService) {
        let (session, loader) = service.streaming()
        (self.session, self.loader) = (session, loader)
        running = Task { await loader.run() }
    }

    /// Creates a playback with stored keys.
    init(_ playback: PersistentKeyPlayback) {
        (session, loader) = (playback.session, playback.loader)
        running = Task { await playback.run() }
    }

    /// Requests keys before playback starts.
    func preload(_ keys: [String]) async { await loader.preload(keys) }

    /// Starts to play an asset.
    func play(_ asset: AVURLAsset) {
        // Before the asset loads anything.
        session.platform.addContentKeyRecipient(asset)
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        // AirPlay shows the film instead of the device's screen.
        player.usesExternalPlaybackWhileExternalScreenIsActive = true
        player.play()
        self.player = player
    }

    /// The reason why the player has failed; nil if it has not.
    var problem: Problem? {
        get async {
            guard let item = player?.currentItem, item.status == .failed || item.error != nil else { return nil }
            // The loader's error says more than the player's, which has only a number.
            if let entry = await loader.errorLog.entries.last(where: { $0.retryAfter == nil }) { return Problem(entry) }
            return item.error.map { Problem($0) }
        }
    }

    /// Ends the playback.
    func end() {
        player?.pause()
        player?.replaceCurrentItem(with: nil)
        session.expire()
        running.cancel()
    }
}
