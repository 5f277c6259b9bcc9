package import HLSPlaylist

/// The facts of one version of a Media Playlist that decide whether a request is answered, waits or is refused.
package struct MediaIndex: Sendable {
    /// The answer to `_HLS_msn` and `_HLS_part`.
    package enum Availability: Hashable, Sendable {
        /// The playlist contains what was requested.
        case ready
        /// The playlist does not contain it yet.
        case wait
        /// The request is refused with status 400, for this reason.
        case refused(DirectiveError)
    }

    /// The Media Sequence Number of the first segment.
    let first: UInt64
    /// The number of listed parts of each complete segment; 0 if its parts are not listed anymore.
    let parts: [Int]
    /// The number of listed parts of the segment that is not complete.
    let openParts: Int
    /// The Target Duration in seconds, at least 1.
    let targetDuration: UInt64
    /// The Part Target Duration in seconds; nil for a playlist without parts.
    let partTarget: Double?
    /// True if the playlist has EXT-X-ENDLIST.
    let isEnded: Bool
    /// The duration of all segments and parts, in seconds.
    let duration: Double

    /// Creates the facts of a playlist.
    package init(_ playlist: MediaPlaylist) {
        // So that numbers of segments do not overflow.
        first = min(playlist.mediaSequence ?? 0, 1 << 62)
        parts = playlist.segments.map { segment in
            segment.tags.reduce(0) { if case .part = $1 { $0 + 1 } else { $0 } }
        }
        openParts = playlist.upcoming.parts.count
        targetDuration = min(max(playlist.targetDuration, 1), Self.longestTargetDuration)
        partTarget = playlist.partInf.flatMap { $0.partTarget > 0 ? $0.partTarget : nil }
        isEnded = playlist.isEnded
        duration = playlist.duration
    }

    /// The upper bound of the Target Duration, in seconds, so that a broken playlist does not hold requests for hours.
    static let longestTargetDuration: UInt64 = 60

    /// The time for which a request may wait: three Target Durations (section 6.2.5.2).
    package var longestWait: Duration { .seconds(3 * Int64(targetDuration)) }

    /// The number of parts by which a request may be ahead: 3, or 3 ÷ PART-TARGET rounded up if that is below one
    /// second (section 6.2.5.2).
    package var advancePartLimit: UInt64 {
        guard let partTarget, partTarget < 1 else { return 3 }
        return UInt64(min((3 / partTarget).rounded(.up), 1000))
    }

    /// Returns whether the playlist contains what the directives wait for (section 6.2.5.2).
    package func availability(_ directives: DeliveryDirectives) -> Availability {
        guard var number = directives.mediaSequenceNumber, !isEnded else { return .ready }
        let end = first + UInt64(parts.count)
        var part = directives.part
        // `end` is the number of the segment that is not complete: the last one is `end - 1`.
        guard number <= end || number - end <= 1 else {
            return .refused(DirectiveError("_HLS_msn is more than 2 after the last segment, \(end) - 1"))
        }
        if partTarget == nil { part = nil }
        guard let requested = part else { return number < end ? .ready : .wait }
        part = requested
        if number < end {
            guard number >= first else { return .ready }
            let listed = parts[Int(number - first)]
            // A part after the last one of its segment is the first of the next.
            guard listed > 0, requested >= UInt64(listed) else { return .ready }
            number += 1
            part = 0
            if number < end { return .ready }
        }
        let ahead = (part ?? 0) &+ 1
        if number == end {
            if let part, part < UInt64(openParts) { return .ready }
            guard ahead > 0, ahead <= UInt64(openParts) + advancePartLimit else { return .refused(Self.tooFar) }
        } else {
            guard ahead > 0, ahead <= advancePartLimit else { return .refused(Self.tooFar) }
        }
        return .wait
    }

    private static let tooFar = DirectiveError("_HLS_part is too far after the last part")
}

extension MediaPlaylist {
    /// The duration of all segments, and of the parts of the segment that is not complete, in seconds.
    var duration: Double {
        segments.reduce(0) { $0 + $1.duration } + upcoming.parts.reduce(0) { $0 + $1.duration }
    }
}
