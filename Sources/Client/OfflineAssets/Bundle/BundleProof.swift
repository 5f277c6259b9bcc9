public import StreamPlayer

/// Shows that a bundle starts to play with nothing but what is on this machine.
public enum BundleProof {
    /// Plays the first segment of each Media Playlist of a bundle, and throws the media away.
    ///
    /// - Parameter keys: sessions that are answered from kept keys alone.
    /// - Throws: `PlayerError`: of a file, or of a key.
    public static func play(_ bundle: AssetBundle, keys: PlayerKeySystems) async throws(PlayerError) {
        let base = String(bundle.mainPlaylistURL.dropLast("main.m3u8".count))
        for playlist in bundle.description.playlists where playlist.kind != .multivariant {
            var settings = PlayerSettings()
            // A file that is not there will not come.
            settings.attempts = 1
            // Whatever is more than nothing is a segment.
            settings.maximumDuration = 0.001
            let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
            let report = try await player.play(base + playlist.file, to: DiscardingOutput())
            guard report.byteCount > 0 || report.missedSeconds > 0 else {
                throw PlayerError(.media("nothing of it can be played"), playlist.file)
            }
        }
        // The way a viewer goes in: variant and renditions by the Multivariant Playlist.
        var settings = PlayerSettings()
        settings.attempts = 1
        settings.maximumDuration = 0.001
        settings.loadsSubtitles = true
        let player = Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
        _ = try await player.play(bundle.mainPlaylistURL, to: DiscardingOutput())
    }
}
