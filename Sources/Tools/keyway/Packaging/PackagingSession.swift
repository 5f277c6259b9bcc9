import DRMSignaling
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
    /// The license policy of new keys on the server.
    var policy: String?
    /// A file for the keys.
    var savedKeys: String?

    /// Does it.
    func run() async throws(CommandFailure) {
        let job = try settings.job()
        do {
            if job.live != nil, !isDryRun { return try await withPolicy(for: job).runLive(job) }
            var plan = try PackagingPlan(job)
            if !isDryRun, let encoder, let exchange = settings.exchange {
                plan = try await encoder.keys(for: plan, exchange)
            }
            // Also finds exceptions for tracks that there are not, before anything is written.
            let preview = try PackagingTables.plan(plan)
            if isDryRun { return try show(preview) }
            guard let signal = try await withPolicy(for: plan.job).package(plan) else { return }
            // As a shell has it for a process that a signal has ended. What the run has made is gone by now.
            Foundation.exit(128 + signal)
        } catch let failure as FileFailure {
            throw .file("\(failure)", next: "check the path, its permissions and the space on the disk")
        } catch {
            throw settings.failure(error)
        }
    }

    /// This session with the policy of its new keys, which is said where clients without FairPlay are to get keys too.
    private func withPolicy(for job: PackagingJob) async throws -> PackagingSession {
        guard let server, !Set(job.systems).isDisjoint(with: [.common, .identity]) else { return self }
        let found = try await RegistrationPolicy.forOtherClients(given: policy, on: server)
        Terminal.complain("note: \(escaped(found.words))")
        var session = self
        session.policy = found.name
        return session
    }

    /// Packages what has an end. The keys are delivered when all is written and nothing is left to do but to publish it: a
    /// presentation whose keys are not registered cannot be played, and keys without one are left behind.
    ///
    /// - Returns: The signal that has ended it; nil when it is done.
    private func package(_ plan: PackagingPlan) async throws -> Int32? {
        let delivery = KeyDelivery(server.map { KeyRegistrar($0, policy: policy) })
        try await delivery.registrar?.check()
        let periods = try await periods(of: plan, delivery)
        var file: OutputFile?
        if periods.isEmpty, server != nil || savedKeys != nil {
            file = try savedKeys.map { path throws(CommandFailure) in try OutputFile.open(path, access: .owner) }
            await delivery.add(try KeyRegistration(plan).keys)
        }
        let start = ContinuousClock.now
        var line = ProgressLine(isWanted: !isQuiet)
        defer { line.clear() }
        let run = try PackagingRun(plan, periods: periods)
        let report = try run.write { line.show($0) }
        line.clear()
        if let file { try KeyRegistration(plan).save(to: file) }
        if let signal = try await delivery.deliver(then: run.publish) { return signal }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try show(try PackagingTables.run(plan, report, seconds: seconds))
        return nil
    }

    /// Packages what has no end. Keys are registered before anything is encrypted with them; those that nothing was
    /// published with are taken back in the end.
    private func runLive(_ job: PackagingJob) async throws {
        let registrar = server.map { KeyRegistrar($0, policy: policy) }
        let source = try periodSource(job) { try await registrar?.register($0) }
        var registration: KeyRegistration?
        if !job.awaitsKeys, job.scheme != nil { registration = try KeyRegistration(job) }
        if let registration, let savedKeys {
            try registration.save(to: OutputFile.open(savedKeys, access: .owner))
        }
        let packaging = LivePackaging(job: job, keys: source, isQuiet: isQuiet, registrar: registrar)
        try show(try await packaging.run(registering: registration?.keys ?? []))
    }

    /// Where the keys of periods come from; nil: the job has its keys.
    ///
    /// - Parameter deliver: What is to be done with new keys for a development server.
    private func periodSource(
        _ job: PackagingJob,
        deliver: @escaping @Sendable ([KeyRegistrar.Key]) async throws -> Void
    ) throws -> (any ContentKeyPeriods)? {
        guard job.awaitsKeys else { return nil }
        var source = try settings.givenPeriods()
        if source == nil, server != nil {
            source = DevelopmentKeyPeriods(deliver: deliver, template: job.keyURI ?? .fairPlay, title: job.title)
        }
        if source == nil, let encoder, let exchange = settings.exchange {
            source = SPEKEKeyPeriods(client: encoder, exchange: try exchange.exchange(for: job))
        }
        guard let source else { throw JobFailure("keys", "there is nobody to ask for keys") }
        return savedKeys.map { RecordedKeyPeriods(source: source, path: $0) } ?? source
    }

    /// The keys of all periods of a film, before anything is written.
    private func periods(of plan: PackagingPlan, _ delivery: KeyDelivery) async throws -> [ContentKeyPeriod] {
        guard let source = try periodSource(plan.job, deliver: { await delivery.add($0) }) else { return [] }
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
}
