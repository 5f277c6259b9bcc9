package import MediaFormats

extension PackagingJob.Container {
    /// Creates the writer of a track's segments in this container: CMAF for fmp4; transport streams for video and
    /// packed audio for audio in ts.
    ///
    /// - Parameter systems: The `pssh` boxes of protected init segments.
    /// - Throws: ``OutputFailure``, `ParseError`, `SampleEncryptionError`.
    package func writer(
        for track: MediaTrack,
        protection: TrackProtection?,
        systems: [ProtectionSystemHeaderBox]
    ) throws -> any SegmentWriter {
        try track.checkOutput(in: self, protection)
        return switch (self, track.kind) {
        case (.fmp4, _): try FragmentedMP4Writer(track, protection: protection, systems: systems)
        case (.ts, .audio): try PackedAudioWriter(track, protection: protection)
        case (.ts, _): try TransportStreamWriter(track, protection: protection)
        }
    }
}
