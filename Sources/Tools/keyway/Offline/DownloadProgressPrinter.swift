import ContentKeySession
import Foundation
import OfflineAssets
import StreamPlayer
import TextCoding
import ToolSupport

/// A printer of download progress on standard error: a progress line if it is a terminal, and a line for every event
/// that matters to the user.
struct DownloadProgressPrinter {
    private let isQuiet: Bool
    private var line: ProgressLine
    private var received: UInt64 = 0

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        line = ProgressLine(isWanted: !isQuiet)
    }

    mutating func print(_ event: DownloadEvent) {
        if case .progress(let progress) = event {
            received = progress.received
            let start = line.start
            line.show(Self.text(progress, seconds: (ContinuousClock.now - start) / .seconds(1)))
            return
        }
        guard !isQuiet, let text = Self.text(event) else { return }
        line.clear()
        Terminal.writeError(escaped(text))
    }

    /// Removes the progress line, and returns the number of bytes received from the network.
    func finish() -> UInt64 {
        line.clear()
        return received
    }

    /// Returns the progress as text: ` 43 %  0:43 of 1:40  430 MB  61.2 MB/s  12 of 40 files`.
    static func text(_ progress: AssetDownloadProgress, seconds: Double) -> String {
        let rate = seconds > 0 ? Double(progress.received) / seconds : 0
        return "\(Int(progress.fraction * 100)) %  \(clock(progress.loaded.duration)) of \(clock(progress.expected))  "
            + "\(ByteCount.text(Double(progress.bytes)))  \(ByteCount.text(rate))/s  "
            + "\(progress.files) of \(counted(progress.allFiles, "file"))"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e9))
        let minutes = whole / 60 % 60
        let rest = String(whole % 60 + 100).dropFirst()
        return whole < 3600 ? "\(minutes):\(rest)" : "\(whole / 3600):\(String(minutes + 100).dropFirst()):\(rest)"
    }

    private static func text(_ event: DownloadEvent) -> String? {
        switch event {
        case .planned(let facts):
            let labels = facts.playlists.filter { $0.kind != .multivariant }.map { playlist in
                playlist.label.isEmpty ? playlist.kind.rawValue : "\(playlist.kind.rawValue) \(playlist.label)"
            }
            let resumed = facts.isResumed ? "; resuming, \(facts.completeFiles) are complete" : ""
            return "\(labels.joined(separator: ", ")): \(counted(facts.files, "file"))\(resumed)"
        case .acquiringKeys(let count): return "requesting \(counted(count, "key"))"
        case .progress: return nil
        case .retrying(_, let error, let attempt, let pause):
            let seconds = ((pause / .milliseconds(100)).rounded(.up) / 10).formatted(.number.grouping(.never))
            return "\(error); attempt \(attempt) in \(seconds) s"
        case .restarting(let file, let reason): return "\(file) is downloaded from the start: \(text(reason))"
        case .missing(_, let error): return "\(error); the download continues without it"
        case .repairing(let file, let error): return "\(file) is downloaded again: \(error.reason)"
        case .reloadingPlaylists(let error):
            return (error.map { "\($0); " } ?? "") + "reloading the playlists, because URLs may have changed"
        case .paused: return "paused"
        case .resumed: return "resumed"
        case .proving: return "all files are downloaded; testing playback"
        case .finished: return nil
        }
    }

    private static func text(_ reason: RestartReason) -> String {
        switch reason {
        case .changed: "the file changed on the server"
        case .noRanges: "the server does not support range requests"
        case .noValidator: "the server sends no validator (ETag, Last-Modified) to detect changes"
        case .outOfRange: "the file on the server is shorter now"
        }
    }
}

extension Report {
    /// Creates the final report of `keyway download`.
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
                    Field("keys", .list(summary.keys.map(Self.keyName))),
                ]
            )
        )
        let missing = bundle.description.missing
        if !missing.isEmpty {
            notes += missing.prefix(20).map { "missing: \(escaped($0))" }
            if missing.count > 20 { notes.append("missing: \(missing.count - 20) more") }
        }
        if summary.state == .unverified {
            notes.append("its keys are not stored, so it cannot be played")
        }
    }

    /// Returns a key identifier for display. The query of a key URL may contain a token.
    private static func keyName(_ identifier: String) -> String {
        let scheme = identifier.prefix { $0 != ":" }.lowercased()
        return ["http", "https"].contains(scheme) ? String(identifier.prefix { $0 != "?" }) : identifier
    }
}
