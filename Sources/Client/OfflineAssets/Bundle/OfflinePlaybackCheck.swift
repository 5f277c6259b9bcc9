public import StreamPlayer

/// Verifies that a bundle can be played offline.
public enum OfflinePlaybackCheck {
    /// Plays the first segment of each Media Playlist of a bundle, and discards the media.
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - keys: The sessions that provide only persistent keys.
    /// - Throws: The `PlayerError` of a file or a key.
    public static func play(_ bundle: AssetBundle, keys: PlayerKeySystems) async throws(PlayerError) {
        let base = String(bundle.mainPlaylistURL.dropLast("main.m3u8".count))
        for playlist in bundle.description.playlists where playlist.kind != .multivariant {
            var settings = PlayerSettings()
            // A missing file will not appear, so there are no retries.
            settings.attempts = 1
            // Any positive duration plays one segment.
            settings.maximumDuration = 0.001
            let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
            try await play(base + playlist.file, player)
        }
        // As in normal playback: the variant and renditions are chosen from the Multivariant Playlist.
        var settings = PlayerSettings()
        settings.attempts = 1
        settings.maximumDuration = 0.001
        settings.loadsSubtitles = true
        let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
        try await play(bundle.mainPlaylistURL, player)
    }

    private static func play(_ url: String, _ player: Player) async throws(PlayerError) {
        do throws(PlayerError) {
            _ = try await player.play(url, to: DiscardingOutput())
        } catch {
            // The first segments of a rendition can be missing on the server (EXT-X-GAP).
            guard case .nothingPlayed(let missed) = error.cause, missed > 0 else { throw error }
        }
    }
}
