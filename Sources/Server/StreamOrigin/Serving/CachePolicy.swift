/// The Cache-Control fields of responses (RFC 9111; RFC 8216bis, appendix B.1).
enum CachePolicy {
    /// The field of an error: a cache must not hide that the resource appears.
    static let error = "max-age=1"
    /// The field of responses that belong to one request.
    static let none = "no-store"

    /// Returns the field of a playlist.
    ///
    /// - Parameters:
    ///   - isBlocking: Whether it was requested with `_HLS_msn`: that URL always means the same version or a newer one.
    static func playlist(_ index: MediaIndex?, targetDuration: UInt64, isBlocking: Bool) -> String {
        guard index?.isEnded != true else { return "max-age=\(6 * targetDuration)" }
        if isBlocking { return "max-age=\(6 * targetDuration)" }
        // A new version comes with each part, which is mostly shorter than the unit of the field.
        if let partTarget = index?.partTarget {
            return "max-age=\(max(1, min(Int(partTarget), Int(targetDuration) / 2)))"
        }
        return "max-age=\(max(1, targetDuration / 2))"
    }

    /// Returns the field of a segment or Media Initialization Section, whose bytes never change: the duration of the
    /// window, at least a minute; a day if the presentation has ended.
    static func segment(_ state: ChannelState?) -> String {
        guard let state, !state.isEmpty else { return "max-age=60" }
        let seconds = state.isEnded ? 86_400 : min(max(60, state.window.rounded(.up)), 86_400)
        return "max-age=\(Int(seconds)), immutable"
    }
}
