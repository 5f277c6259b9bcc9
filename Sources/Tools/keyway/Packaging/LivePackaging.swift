import Packager

/// Packages what has no end, until it ends or somebody says so: SIGINT, SIGTERM and SIGHUP end it in order.
struct LivePackaging {
    let job: PackagingJob
    let keys: (any ContentKeyPeriods)?
    var isQuiet = false

    /// Where new keys are registered.
    var registrar: KeyRegistrar?

    /// Does it.
    ///
    /// - Parameter keys: New keys that do not change, which are registered before it begins.
    func run(registering keys: [KeyRegistrar.Key]) async throws -> Report {
        let stop = try StopSignal()
        let registering = Task { [registrar] in try await registrar?.register(keys) }
        let signals = EndSignals {
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
        let report = try await LiveRun.run(job, keys: keys, stop: stop) { [registrar] event in
            registrar?.published.note(event)
            guard !isQuiet else { return }
            switch event {
            case .segment: break
            case .period(let number): Terminal.complain("note: key period \(number) begins")
            case .discontinuity:
                Terminal.complain("note: the input does not go on from what was before; it is taken up again")
            case .warning(let words): Terminal.complain("note: \(escaped(words))")
            }
        }
        return Self.report(job, report)
    }

    private static func report(_ job: PackagingJob, _ run: LiveRun.Report) -> Report {
        let size = ByteCount.text(Double(run.byteCount))
        var report = Report(
            kind: "live-packaging",
            headline: "\(size) in \(run.segments) segments in \(escaped(job.output)); play "
                + job.manifestNames.map { "\(escaped(job.output))/\($0)" }.joined(separator: ", ")
        )
        report.tables = [
            FieldTable(
                title: "Output",
                fields: job.manifestNames.map {
                    Field($0 == job.names.dash ? "DASH manifest" : "playlist", .text("\(job.output)/\($0)"))
                } + [
                    Field("segments", .number(run.segments)),
                    Field("written", .number(run.byteCount, unit: "bytes")),
                    Field("key periods", .number(run.periods)),
                    Field("discontinuities", .number(run.discontinuities)),
                ]
            )
        ]
        return report
    }
}
