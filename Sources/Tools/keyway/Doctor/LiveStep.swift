import Foundation
import HLSPlaylist
import StreamValidation
import ToolSupport

/// The step of `keyway doctor` about a live presentation: whether new segments appear, and keys are announced.
struct LiveStep: Sendable {
    let report: ValidationReport
    let content: ContentSteps
    let resources: StreamResources
    /// Returns the current time in seconds since 1970.
    let now: @Sendable () -> Double
    /// The clock that measures how long to wait.
    let clock: any Clock<Duration>

    /// The number of Target Durations after which a playlist without a new segment is stale, and a packager has stopped.
    private static let limit = 3.0
    /// The longest time in seconds to wait for a new segment.
    private static let longestWait = 30.0

    /// Checks the step.
    func run() async -> Diagnosis.Step {
        let live = report.presentation.renditions.filter { $0.isLive && !$0.isIFrames }
        guard let rendition = live.first else { return .skipped("live", "video on demand") }
        let target = Double(max(1, rendition.playlist.targetDuration))
        var step = Diagnosis.Step("live", "", problems: content.problems(of: "live"))
        if let last = rendition.segments.last, let date = last.programDateTime {
            let age = now() - date.timeIntervalSince1970 - last.duration
            step.summary = "the last segment ended \(Int(max(0, min(age, 1e9)))) s ago"
            // A segment appears when it is complete.
            if age > (Self.limit + 1) * target { step.problems.append(Self.stale("is \(Int(min(age, 1e9))) s old")) }
        } else if step.problems.isEmpty {
            let isUpdated = await isUpdated(rendition, target: target)
            step.summary = isUpdated ? "a new segment appeared" : "no new segment appeared"
            if !isUpdated { step.problems.append(Self.stale("did not appear in two Target Durations")) }
        }
        let keys = Set(rendition.segments.compactMap { $0.keys[.fairPlay]?.uri })
        if keys.count > 1 {
            let isAnnounced = report.presentation.playlist?.sessionKeys.isEmpty == false
            step.details.append(
                "keys rotate; "
                    + (isAnnounced ? "EXT-X-SESSION-KEY announces keys" : "no EXT-X-SESSION-KEY announces the next")
            )
        }
        return step
    }

    private static func stale(_ text: String) -> Diagnosis.Problem {
        .failure(
            "playlist-stale",
            "The live playlist is stale: its newest segment \(text).",
            remedy: "Look for a packager that stopped, or a cache that keeps playlists too long; `keyway validate URL "
                + "--watch 2m` observes it."
        )
    }

    /// Waits until the Media Playlist changes, for two Target Durations at most.
    private func isUpdated(_ rendition: MeasuredRendition, target: Double) async -> Bool {
        let request = StreamResourceRequest(url: rendition.name, purpose: .playlist, maximumSize: 16 << 20)
        guard let first = try? await resources.load(request) else { return false }
        let pause = min(2 * target, Self.longestWait) / 8
        for _ in 0..<8 {
            guard (try? await clock.sleep(for: .seconds(pause))) != nil else { return false }
            guard let next = try? await resources.load(request) else { continue }
            if next.bytes != first.bytes { return true }
        }
        return false
    }
}
