import HLSPlaylist
import Testing

@testable import StreamPlayer

/// Returns a live playlist with segments of 6 s and the given numbers.
func live(
    _ numbers: Range<UInt64>,
    target: UInt64 = 6,
    duration: Double = 6,
    isEnded: Bool = false,
    control: ServerControlTag? = nil,
    gaps: Set<UInt64> = []
) -> MediaPlaylist {
    var playlist = MediaPlaylist(
        version: 9,
        targetDuration: target,
        segments: numbers.map { MediaSegment(uri: "\($0).mp4", duration: duration, isGap: gaps.contains($0)) }
    )
    playlist.mediaSequence = numbers.lowerBound
    playlist.isEnded = isEnded
    playlist.serverControl = control
    return playlist
}

/// Returns a delta update, which omits the first segments.
func delta(_ numbers: Range<UInt64>, skipping count: UInt64, control: ServerControlTag? = nil) -> MediaPlaylist {
    var playlist = live((numbers.lowerBound + count)..<numbers.upperBound, control: control)
    playlist.mediaSequence = numbers.lowerBound
    playlist.skip = SkipTag(skippedSegments: count)
    return playlist
}

extension [LiveReloadAction] {
    /// The notices among the actions.
    var notices: [LiveReloadNotice] { compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }

    /// The names of the actions.
    var names: [String] {
        map { action in
            switch action {
            case .load(let load):
                (["load@\(load.startTime / .milliseconds(1))"] + load.parameters.map { "\($0.name)=\($0.value)" })
                    .joined(separator: " ")
            case .use(let playlist): "use \(playlist.mediaSequence ?? 0)+\(playlist.segments.count)"
            case .restart(let playlist): "restart \(playlist.mediaSequence ?? 0)+\(playlist.segments.count)"
            case .notice(let notice): "notice \(notice)"
            case .ended: "ended"
            case .failed(let notice): "failed \(notice)"
            }
        }
    }
}
