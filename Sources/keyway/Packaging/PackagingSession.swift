import DRMSignalling
import FPSCrypto
import FileWriting
import Foundation
import Packager

/// Packages: plans, registers keys, runs, reports. What `keyway package` and `keyway mediafilesegmenter` have in common.
struct PackagingSession {
    /// The options as they were written.
    let settings: PackagingSettings
    /// Whether to say only what would be done.
    var isDryRun = false
    /// Whether the report is JSON.
    var isJSON = false
    /// Whether nothing is said unless it is wrong.
    var isQuiet = false
    /// Where keys are fetched.
    var encoder: SPEKEClient?
    /// Where new keys are registered.
    var server: KeyServerClient?
    /// The licence policy of new keys on the server.
    var policy: String?
    /// A file for the keys.
    var savedKeys: String?

    /// Does it.
    func run() async throws(CommandFailure) {
        let job = try settings.job()
        do {
            if job.live != nil, !isDryRun { return try await runLive(job) }
            var plan = try PackagingPlan(job)
            if !isDryRun, let encoder, let exchange = settings.exchange {
                plan = try await encoder.keys(for: plan, exchange)
            }
            let preview = try PackagingTables.plan(plan)
            if isDryRun { return try show(preview) }
            let periods = try await periods(of: plan)
            if periods.isEmpty { try await deliverKeys(of: plan) }
            let start = ContinuousClock.now
            var line = ProgressLine(isWanted: !isQuiet)
            defer { line.clear() }
            let report = try PackagingRun(plan, periods: periods).run { line.show($0) }
            line.clear()
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            try show(try PackagingTables.run(plan, report, seconds: seconds))
        } catch let failure as FileFailure {
            throw .file("\(failure)", next: "check the path, its permissions and the space on the disk")
        } catch {
            throw settings.failure(error)
        }
    }

    /// Packages what has no end. Keys that do not change are delivered before it begins.
    private func runLive(_ job: PackagingJob) async throws {
        if !job.awaitsKeys, job.scheme != nil {
            let registration = try KeyRegistration(job)
            if let savedKeys { try registration.save(to: savedKeys) }
            if let server { try await registration.register(with: server, policy: policy) }
        }
        let packaging = LivePackaging(job: job, keys: try periodSource(job), isQuiet: isQuiet)
        try show(try await packaging.run())
    }

    /// Where the keys of periods come from; nil: the job has its keys.
    private func periodSource(_ job: PackagingJob) throws -> (any ContentKeyPeriods)? {
        guard job.awaitsKeys else { return nil }
        var source = try settings.givenPeriods()
        if source == nil, let server {
            let template = job.keyURI ?? .fairPlay
            source = DevelopmentKeyPeriods(client: server, policy: policy, template: template, title: job.title)
        }
        if source == nil, let encoder, let exchange = settings.exchange {
            source = SPEKEKeyPeriods(client: encoder, exchange: try exchange.exchange(for: job))
        }
        guard let source else { throw JobFailure("keys", "there is nobody to ask for keys") }
        return savedKeys.map { RecordedKeyPeriods(source: source, path: $0) } ?? source
    }

    /// The keys of all periods of a film, before anything is written.
    private func periods(of plan: PackagingPlan) async throws -> [ContentKeyPeriod] {
        guard let source = try periodSource(plan.job) else { return [] }
        let length = plan.job.rotation?.seconds(segment: plan.job.segmentDuration) ?? 0
        var periods: [ContentKeyPeriod] = []
        for number in 0..<(plan.mostPeriods ?? 1) {
            let request = KeyPeriodRequest(number: number, trackClasses: plan.trackClasses, duration: length)
            periods.append(try await source.period(request))
        }
        return periods
    }

    private func show(_ report: Report) throws(CommandFailure) {
        guard !isQuiet || isJSON || isDryRun else {
            for note in report.notes { Terminal.complain("note: \(escaped(note))") }
            return
        }
        try ReportOptions.print(report, json: isJSON)
    }

    /// Before anything is written: a presentation whose keys nobody has is of no use.
    private func deliverKeys(of plan: PackagingPlan) async throws {
        guard server != nil || savedKeys != nil else { return }
        let registration = try KeyRegistration(plan)
        if let savedKeys { try registration.save(to: savedKeys) }
        if let server { try await registration.register(with: server, policy: policy) }
    }
}
