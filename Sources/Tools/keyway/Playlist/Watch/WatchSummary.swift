import HLSPlaylist
import StreamValidation
import TextCoding

/// The result of watching one playlist.
struct WatchSummary: Sendable {
    /// The name of the playlist in output.
    let name: String
    let duration: Duration
    /// The number of reloads, including failed ones.
    let reloads: Int
    let failures: Int
    /// The number of segments that were added.
    let newSegments: UInt64
    /// The longest interval without a new segment.
    let longestPause: Duration
    let end: PlaylistWatch.End

    /// The result on one line.
    var text: String {
        let failed = failures > 0 ? " (\(failures) failed)" : ""
        let reason =
            switch end {
            case .ended: ", until it ended"
            case .limit: ""
            case .interrupted: ", until it was interrupted"
            }
        return "watched \(PlaylistText.printable(name)) for \(PlaylistWatch.seconds(duration))\(reason): "
            + "\(counted(reloads, "reload"))\(failed), \(counted(newSegments, "new segment"))"
    }

    var json: JSONValue {
        .object([
            "file": .string(name), "seconds": .number(seconds(duration)), "reloads": .integer(reloads),
            "failedReloads": .integer(failures), "newSegments": .integer(Int(clamping: newSegments)),
            "longestPause": .number(seconds(longestPause)), "end": .string(end.rawValue),
        ])
    }

    /// Returns seconds, rounded to milliseconds.
    private func seconds(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1000 }
}

extension PlaylistWatch {
    /// The result of the watch, for output.
    var summary: WatchSummary {
        WatchSummary(
            name: name,
            duration: duration,
            reloads: reloads,
            failures: failures,
            newSegments: newSegments,
            longestPause: times.longest,
            end: end ?? .interrupted
        )
    }
}
