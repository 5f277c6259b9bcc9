import ArgumentParser
import Foundation
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// The options of `keyway validate` for live presentations over time.
struct WatchOptions: ParsableArguments {
    @Option(
        name: .customLong("watch"),
        help: .init(
            "Watch a live presentation for this time: reload its playlists, and measure each new segment. "
                + "(default: validate what is listed now)",
            valueName: "length"
        )
    )
    var duration: DurationArgument?

    @Option(help: .init("The time between two lines of progress during a watch.", valueName: "duration"))
    var interval = DurationArgument(.seconds(60))

    @Flag(help: "Do not load the Partial Segments of low-latency playlists during a watch.")
    var noParts = false

    func validate() throws {
        if let duration, duration.value <= .zero {
            throw ValidationError("--watch: expected a duration above 0, such as 10m.")
        }
        guard interval.value >= .seconds(1) else {
            throw ValidationError("--interval: expected a duration of at least 1s.")
        }
    }

    /// Watches a presentation for a duration, or until its end or Control-C; prints findings and progress on standard error.
    /// With keys, each Partial Segment is opened when it is new, and the listed segments before and after the watch.
    ///
    /// - Parameter validator: The validator with the source of keys, if there is one.
    /// - Throws: `ResourceFailure` if the playlist cannot be loaded.
    func watch(
        _ url: String,
        for duration: DurationArgument,
        _ resources: any ValidationResources,
        opening validator: StreamValidator
    ) async throws(ResourceFailure) -> ValidationReport {
        guard validator.keySource != nil else { return try await watch(url, for: duration, resources, validator) }
        let before = try await validator.validate(url)
        let watched = try await watch(url, for: duration, resources, validator)
        // The presentation may have ended meanwhile.
        let after = try? await validator.validate(url)
        return watched.addingKeyFindings(of: [before] + (after.map { [$0] } ?? []))
    }

    private func watch(
        _ url: String,
        for duration: DurationArgument,
        _ resources: any ValidationResources,
        _ validator: StreamValidator
    ) async throws(ResourceFailure) -> ValidationReport {
        var settings = StreamWatch.Settings()
        (settings.limit, settings.interval, settings.loadsParts) = (duration.value, interval.value, !noParts)
        var watch = StreamWatch(resources: resources, settings: settings, clock: ContinuousClock()) {
            PlaylistDate(timeIntervalSince1970: Date().timeIntervalSince1970)
        }
        (watch.keySource, watch.decoder) = (validator.keySource, validator.decoder)
        let run = Task { [watch] () async -> Result<ValidationReport, ResourceFailure> in
            do throws(ResourceFailure) {
                return .success(try await watch.run(url) { Self.print($0) })
            } catch {
                return .failure(error)
            }
        }
        let signals = TerminationSignals { run.cancel() }
        defer { signals.end() }
        return try await run.value.get()
    }

    private static func print(_ event: StreamWatch.Event) {
        switch event {
        case .finding(let finding):
            guard finding.level > .advice else { return }
            Terminal.writeError("\(finding.level.rawValue)  \(finding.rule)  \(finding.place.text): \(finding.message)")
        case .playlistFinding(let finding):
            // Warnings about the text are in the report; most of them are true from the beginning.
            guard finding.diagnostic.severity == .error else { return }
            let place = ValidationFinding.Place(finding.file, line: finding.diagnostic.line)
            Terminal.writeError("must  \(finding.diagnostic.rule)  \(place.text): \(finding.diagnostic.message)")
        case .progress(let progress): Terminal.writeError(progress.text)
        case .report: break
        }
    }
}

extension WatchProgress {
    /// The progress on one line.
    var text: String {
        let seconds = Int(rounding: elapsed / .seconds(1))
        let time = "\(seconds / 60):\(String(seconds % 60 + 100).dropFirst())"
        let delay = ", the latest \(PlaylistWatch.seconds(.seconds(partDelays.maximum))) late"
        let parts = parts > 0 ? ", \(counted(self.parts, "part"))\(partDelays.count > 0 ? delay : "")" : ""
        let skipped = skipped > 0 ? ", \(counted(self.skipped, "segment")) not measured" : ""
        return "watched \(time): \(counted(playlists, "live playlist")), \(counted(segments, "segment"))\(parts), "
            + "\(ByteCount.text(Double(byteCount)))\(skipped), \(counted(findings, "finding"))"
    }
}
