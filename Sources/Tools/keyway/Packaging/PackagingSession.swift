import DRMSignaling
import FPSCrypto
import FileWriting
import Foundation
import Packager
import ToolSupport

/// A run of the packager: planning, key registration, packaging, report. `keyway package` and `keyway
/// mediafilesegmenter` share it.
struct PackagingSession {
    /// The options as strings.
    let settings: PackagingSettings
    /// True if to print only what would be done.
    var isDryRun = false
    /// True if the report is JSON.
    var isJSON = false
    /// True if to print only errors and warnings.
    var isQuiet = false
    /// The client that requests keys from a SPEKE server.
    var encoder: SPEKEClient?
    /// The server to register new keys with.
    var server: KeyServerClient?
    /// The license policy of new keys on the server.
    var policy: String?
    /// The path of a file for the keys.
    var savedKeys: String?

    /// Packages the inputs.
    func run() async throws(CommandFailure) {
        let job = try settings.job()
        do {
            if job.live != nil, !isDryRun { return try await withPolicy(for: job).runLive(job) }
            var plan = try PackagingPlan(job)
            if !isDryRun, let encoder, let exchange = settings.exchange {
                plan = try await encoder.keys(for: plan, exchange)
            }
            // Building the preview also detects output protection rules for tracks that do not exist, before anything
            // is written.
            let preview = try PackagingTables.plan(plan)
            if isDryRun { return try show(preview) }
            guard let signal = try await withPolicy(for: plan.job).package(plan) else { return }
            // The exit code is that of a shell for a process ended by a signal. The output of the run has been deleted.
            Foundation.exit(128 + signal)
        } catch let failure as FileError {
            throw .file("\(failure)", next: "check the path, its permissions, and the space on the disk")
        } catch {
            throw settings.failure(error)
        }
    }

    /// Returns the session with the policy for its new keys, and prints a note about it, if clients without FairPlay
    /// are to receive keys.
    private func withPolicy(for job: PackagingJob) async throws -> PackagingSession {
        guard let server, !Set(job.systems).isDisjoint(with: [.common, .identity]) else { return self }
        let found = try await RegistrationPolicy.forOtherClients(given: policy, on: server)
        Terminal.writeError("note: \(escaped(found.note))")
        var session = self
        session.policy = found.name
        return session
    }

    /// Packages a VOD presentation. Keys are registered when everything is written, just before publication: a
    /// presentation without registered keys cannot be played, and keys without a presentation would stay on the server.
    ///
    /// - Returns: The signal that interrupted packaging; nil on completion.
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

    /// Packages a live stream. Keys are registered before anything is encrypted with them; those that nothing was
    /// published with are deleted at the end.
    private func runLive(_ job: PackagingJob) async throws {
        let registrar = server.map { KeyRegistrar($0, policy: policy) }
        let source = try periodSource(job) { try await registrar?.register($0) }
        var registration: KeyRegistration?
        if !job.keysArriveLater, job.scheme != nil { registration = try KeyRegistration(job) }
        if let registration, let savedKeys {
            try registration.save(to: OutputFile.open(savedKeys, access: .owner))
        }
        let packaging = LivePackaging(job: job, keys: source, isQuiet: isQuiet, registrar: registrar)
        try show(try await packaging.run(registering: registration?.keys ?? []))
    }

    /// Returns the source of key periods; nil if the keys of the job do not change.
    ///
    /// - Parameter deliver: A closure that delivers new keys to a development server.
    private func periodSource(
        _ job: PackagingJob,
        deliver: @escaping @Sendable ([KeyRegistrar.Key]) async throws -> Void
    ) throws -> (any ContentKeyPeriods)? {
        guard job.keysArriveLater else { return nil }
        var source = try settings.givenPeriods()
        if source == nil, server != nil {
            source = DevelopmentKeyPeriods(deliver: deliver, template: job.keyURI ?? .fairPlay, title: job.title)
        }
        if source == nil, let encoder, let exchange = settings.exchange {
            source = SPEKEKeyPeriods(client: encoder, exchange: try exchange.exchange(for: job))
        }
        guard let source else {
            throw JobFailure("keys", "there is no source of keys: give period-keys, derive-keys, speke, or dev")
        }
        return savedKeys.map { RecordedKeyPeriods(source: source, path: $0) } ?? source
    }

    /// Returns the keys of all key periods of a VOD presentation.
    private func periods(of plan: PackagingPlan, _ delivery: KeyDelivery) async throws -> [ContentKeyPeriod] {
        guard let source = try periodSource(plan.job, deliver: { await delivery.add($0) }) else { return [] }
        let length = plan.job.rotation?.seconds(segment: plan.job.segmentDuration) ?? 0
        var periods: [ContentKeyPeriod] = []
        for number in 0..<(plan.maximumPeriods ?? 1) {
            let request = KeyPeriodRequest(number: number, trackClasses: plan.trackClasses, duration: length)
            periods.append(try await source.period(request))
        }
        return periods
    }

    private func show(_ report: Report) throws(CommandFailure) {
        guard !isQuiet || isJSON || isDryRun else {
            for note in report.notes { Terminal.writeError("note: \(escaped(note))") }
            if let problem = report.problem {
                throw .input("\(problem.stage): \(problem.reason)", next: problem.next)
            }
            return
        }
        try ReportOptions.print(report, json: isJSON)
    }
}
