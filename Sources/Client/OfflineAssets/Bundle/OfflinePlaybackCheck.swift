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
            let report = try await player.play(base + playlist.file, to: DiscardingOutput())
            guard report.byteCount > 0 || report.missedSeconds > 0 else {
                throw PlayerError(.media("the playlist has no segment that can be played"), playlist.file)
            }
        }
        // As in normal playback: the variant and renditions are chosen from the Multivariant Playlist.
        var settings = PlayerSettings()
        settings.attempts = 1
        settings.maximumDuration = 0.001
        settings.loadsSubtitles = true
        let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
        _ = try await player.play(bundle.mainPlaylistURL, to: DiscardingOutput())
    }
}
