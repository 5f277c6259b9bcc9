import Dispatch
import Foundation
import Packager

/// Packages what has no end, until it ends or somebody says so: SIGINT and SIGTERM end it in order.
struct LivePackaging {
    let job: PackagingJob
    let keys: (any ContentKeyPeriods)?
    var isQuiet = false

    /// Does it.
    func run() async throws -> Report {
        let stop = try StopSignal()
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { stop.stop() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let isQuiet = isQuiet
        let report = try await LiveRun.run(job, keys: keys, stop: stop) { event in
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
