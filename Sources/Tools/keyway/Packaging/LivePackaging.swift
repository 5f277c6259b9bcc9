import Packager
import TextCoding
import ToolSupport

/// The packaging of a live stream until its end, or until SIGINT, SIGTERM or SIGHUP stops it gracefully.
struct LivePackaging {
    let job: PackagingJob
    let keys: (any ContentKeyPeriods)?
    var isQuiet = false
    /// The server to which the presentation is uploaded; nil for none.
    var upload: LiveUpload.Target?

    /// The registrar of new keys.
    var registrar: KeyRegistrar?

    /// Packages the stream.
    ///
    /// - Parameter keys: New keys that do not change, which are registered before packaging starts.
    func run(registering keys: [KeyRegistrar.Key]) async throws -> Report {
        let stop = try StopSignal()
        let registering = Task { [registrar] in try await registrar?.register(keys) }
        let signals = TerminationSignals {
            stop.stop()
            registering.cancel()
        }
        defer { signals.end() }
        let outcome: Result<Report, any Error>
        do {
            try await registering.value
            outcome = .success(try await run(stop))
        } catch {
            outcome = .failure(error)
        }
        await registrar?.withdrawWithNotes()
        return try outcome.get()
    }

    private func run(_ stop: StopSignal) async throws -> Report {
        let isQuiet = isQuiet
        let publisher = upload.map { LiveUpload($0, folder: job.output) }
        let report = try await LiveRun.run(job, keys: keys, stop: stop, publisher: publisher) { [registrar] event in
            registrar?.published.record(event)
            guard !isQuiet else { return }
            switch event {
            case .segment, .part: break
            case .period(let number): Terminal.writeError("note: key period \(number) starts")
            case .discontinuity:
                Terminal.writeError("note: the input is not continuous; a discontinuity is inserted")
            case .warning(let text): Terminal.writeError("note: \(escaped(text))")
            }
        }
        return Self.report(job, at: upload?.base ?? job.output, report)
    }

    /// - Parameter place: The folder or the URL of the presentation.
    private static func report(_ job: PackagingJob, at place: String, _ run: LiveRun.Report) -> Report {
        let size = ByteCount.text(Double(run.byteCount))
        var report = Report(
            kind: "live-packaging",
            headline: "\(size) in \(counted(run.segments, "segment")) in \(escaped(place)); play "
                + job.manifestNames.map { "\(escaped(place))/\($0)" }.joined(separator: ", ")
        )
        let losses = [("lost packets", run.lostPackets), ("damaged packets", run.damagedPackets)]
        report.tables = [
            FieldTable(
                title: "Output",
                fields: job.manifestNames.map {
                    Field($0 == job.names.dash ? "DASH manifest" : "playlist", .text("\(place)/\($0)"))
                } + [
                    Field("segments", .number(run.segments)),
                    Field("written", .number(run.byteCount, unit: "bytes")),
                    Field("key periods", .number(run.periods)),
                    Field("discontinuities", .number(run.discontinuities)),
                ] + losses.filter { $0.1 > 0 }.map { Field($0.0, .number($0.1)) }
            )
        ]
        report.problem = problem(run)
        return report
    }

    /// Returns what was lost; nil if nothing was.
    private static func problem(_ run: LiveRun.Report) -> Report.Problem? {
        if run.lostTracks > 0 {
            return Report.Problem(
                stage: "packaging",
                code: "lost-tracks",
                reason:
                    "\(counted(run.lostTracks, "track")) lost: at discontinuities, the inputs have tracks for which the "
                    + "presentation has no rendition",
                next: "start the presentation with an input that has all tracks"
            )
        }
        if run.lostSegments > 0 {
            return Report.Problem(
                stage: "packaging",
                code: "lost-segments",
                reason: "\(counted(run.lostSegments, "segment")) lost, because of the target duration",
                next: "configure the encoder for more frequent key frames, or increase --target-duration"
            )
        }
        guard run.lostPackets > 0 else { return nil }
        return Report.Problem(
            stage: "packaging",
            code: "lost-packets",
            reason: "\(counted(run.lostPackets, "packet")) of the network lost",
            next: "find out where the network loses them, or receive SRT with ffmpeg, which requests lost packets again"
        )
    }
}
