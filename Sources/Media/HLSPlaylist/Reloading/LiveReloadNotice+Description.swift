extension LiveReloadNotice: CustomStringConvertible {
    /// The problem, as a clause of a sentence.
    public var description: String {
        switch self {
        case .stale(let time):
            "nothing was added to the playlist for \(Int(clamping: time.components.seconds)) s"
        case .noResponse(let attempts): "\(attempts) attempts in a row to load the playlist failed"
        case .refused(let rejection): "the reloaded playlist is rejected: \(rejection)"
        case .restarted(let expected, let first):
            "the encoder was restarted: media sequence number \(first) instead of \(expected); playback continues after a "
                + "discontinuity"
        }
    }
}

extension PlaylistRejection: CustomStringConvertible {
    /// The reason, as a clause of a sentence.
    public var description: String {
        switch self {
        case .sequenceWentBack(let before, let now): "its media sequence number went back from \(before) to \(now)"
        case .endWentBack(let before, let now):
            "the media sequence number after its last segment went back from \(before) to \(now)"
        case .sequenceOverflow: "its media sequence numbers exceed 64 bits"
        case .skipNotInBase: "it is a delta update of a playlist that is not loaded"
        }
    }
}
