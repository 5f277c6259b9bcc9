import Foundation
import OfflineAssets
import StreamPlayer

/// Says on standard error how far a download is: a line that changes while a person is looking, and a line for what is not as
/// it should be.
struct DownloadNarrator {
    private let isQuiet: Bool
    private var line: ProgressLine
    private var received: UInt64 = 0

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        line = ProgressLine(isWanted: !isQuiet)
    }

    mutating func tell(_ event: DownloadEvent) {
        if case .progress(let progress) = event {
            received = progress.received
            line.show(Self.text(progress, seconds: (ContinuousClock.now - line.start) / .seconds(1)))
            return
        }
        guard !isQuiet, let words = Self.words(event) else { return }
        line.clear()
        Terminal.complain(escaped(words))
    }

    /// Takes the line away; how many bytes came from the network.
    func end() -> UInt64 {
        line.clear()
        return received
    }

    /// ` 43 %  0:43 of 1:40  430 MB  61.2 MB/s  12 of 40 files`.
    static func text(_ progress: AssetDownloadProgress, seconds: Double) -> String {
        let rate = seconds > 0 ? Double(progress.received) / seconds : 0
        return "\(Int(progress.fraction * 100)) %  \(clock(progress.loaded.duration)) of \(clock(progress.expected))  "
            + "\(ByteCount.text(Double(progress.bytes)))  \(ByteCount.text(rate))/s  "
            + "\(progress.files) of \(progress.allFiles) files"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e9))
        let minutes = whole / 60 % 60
        let rest = String(whole % 60 + 100).dropFirst()
        return whole < 3600 ? "\(minutes):\(rest)" : "\(whole / 3600):\(String(minutes + 100).dropFirst()):\(rest)"
    }

    private static func words(_ event: DownloadEvent) -> String? {
        switch event {
        case .planned(let facts):
            let labels = facts.playlists.filter { $0.kind != .multivariant }.map { playlist in
                playlist.label.isEmpty ? playlist.kind.rawValue : "\(playlist.kind.rawValue) \(playlist.label)"
            }
            let rest = facts.isResumed ? "; goes on, \(facts.completeFiles) are complete" : ""
            return "\(labels.joined(separator: ", ")): \(facts.files) files\(rest)"
        case .acquiringKeys(let count): return "asks for \(count) keys"
        case .progress: return nil
        case .retrying(_, let error, let attempt, let pause):
            return "\(error); attempt \(attempt) in \(Int((pause / .milliseconds(1)).rounded())) ms"
        case .beginsAnew(let file, let reason): return "\(file) is fetched from its beginning: \(words(reason))"
        case .repairing(let file, let error): return "\(file) is fetched again: \(error.reason)"
        case .loadingPlaylistsAgain(let error):
            return (error.map { "\($0); " } ?? "") + "loads the playlists again, whose addresses may be new"
        case .paused: return "paused"
        case .resumed: return "goes on"
        case .proving: return "all files are there; tries whether it plays"
        case .finished: return nil
        }
    }

    private static func words(_ reason: AnewReason) -> String {
        switch reason {
        case .changed: "it was changed on the server"
        case .noRanges: "the server sends no parts of files"
        case .noValidator: "the server does not say whether it has changed"
        case .outOfRange: "it is shorter now"
        }
    }
}

extension Report {
    /// What `keyway download` shows at its end.
    init(bundle: AssetBundle, received: UInt64) {
        let summary = bundle.description.summary
        self.init(kind: "download", headline: "Downloaded \(escaped(summary.title)) to \(escaped(bundle.folder))")
        tables.append(
            FieldTable(
                title: "Bundle",
                fields: [
                    Field("title", .text(summary.title)),
                    Field("state", .text(summary.state.rawValue)),
                    Field("folder", .text(bundle.folder)),
                    Field("playlist", .text(bundle.mainPlaylist)),
                    Field("seconds of media", .decimal(summary.duration, unit: nil)),
                    Field("files", .number(bundle.description.resources.count)),
                    Field("bytes", .number(summary.byteCount)),
                    Field("bytes received", .number(received)),
                    Field("keys", .list(summary.keys)),
                ]
            )
        )
        if summary.state == .unproven {
            notes.append("its keys are not here: it does not play without them")
        }
    }
}
