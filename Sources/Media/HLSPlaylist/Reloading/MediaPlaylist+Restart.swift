extension MediaPlaylist {
    /// Returns whether this playlist is that of a restarted encoder, and not an outdated copy from a cache. Its media
    /// sequence numbers are lower than those of `known`, and
    ///
    /// - if both playlists have dates (EXT-X-PROGRAM-DATE-TIME), its first segment is later than the last one of `known`;
    /// - otherwise, if it grows, which a copy in a cache does not, and no segment is in both playlists. Before the
    ///   reloads would end, it is accepted even if it has segments of the same names: encoders start again with these too.
    ///
    /// - Parameters:
    ///   - known: The playlist that is played.
    ///   - rejected: The first of the playlists that were rejected in a row because they went back.
    ///   - isLastAttempt: True if the reloads end if this playlist is rejected.
    func isRestart(of known: MediaPlaylist, after rejected: MediaPlaylist?, isLastAttempt: Bool) -> Bool {
        guard !isDeltaUpdate, let end = endSequenceNumber, let knownEnd = known.endSequenceNumber,
            let first = segments.first
        else { return false }
        let (number, knownNumber) = (mediaSequence ?? 0, known.mediaSequence ?? 0)
        guard number < knownNumber || end < knownEnd else { return false }
        if let date = first.programDateTime, let last = known.lastProgramDateTime {
            return date.timeInterval(since: last) > 0
        }
        guard let rejectedEnd = rejected?.endSequenceNumber, end > rejectedEnd else { return false }
        let names = Set(known.segments.map(\.uri))
        return isLastAttempt || !segments.contains { names.contains($0.uri) }
    }

    /// The date of the last segment that has one.
    private var lastProgramDateTime: PlaylistDate? { segments.last { $0.programDateTime != nil }?.programDateTime }
}
