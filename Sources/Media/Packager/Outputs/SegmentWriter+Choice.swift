package import MediaFormats

extension PackagingJob.Container {
    /// What writes a track's segments in this container: CMAF; or transport streams for video and packed audio.
    ///
    /// - Parameter systems: The `pssh` boxes of protected init segments.
    /// - Throws: ``OutputFailure``, `ParseError`, `SampleEncryptionError`.
    package func writer(
        for track: MediaTrack,
        protection: TrackProtection?,
        systems: [ProtectionSystemHeaderBox]
    ) throws -> any SegmentWriter {
        switch (self, track.kind) {
        case (.fmp4, _): try FragmentedMP4Writer(track, protection: protection, systems: systems)
        case (.ts, .audio): try PackedAudioWriter(track, protection: protection)
        case (.ts, _): try TransportStreamWriter(track, protection: protection)
        }
    }
}
