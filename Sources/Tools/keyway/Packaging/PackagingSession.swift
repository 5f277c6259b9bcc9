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
    /// The license policies for new keys on the command line.
    var givenPolicies: [PolicyArgument] = []
    /// The path of a file for the keys.
    var savedKeys: String?

    /// Packages the inputs.
    func run() async throws(CommandFailure) {
        let job = try settings.job()
        do {
            if job.live != nil, !isDryRun { return try await runLive(job) }
            var plan = try PackagingPlan(job)
            if !isDryRun, let encoder, let exchange = settings.exchange {
                plan = try await encoder.keys(for: plan, exchange)
            }
            // Building the preview also detects output protection rules for tracks that do not exist, before anything
            // is written.
            let preview = try PackagingTables.plan(plan)
            if isDryRun { return try show(preview) }
            guard let signal = try await package(plan) else { return }
            // The exit code is that of a shell for a process ended by a signal. The output of the run has been deleted.
            Foundation.exit(128 + signal)
        } catch let failure as FileError {
            // The error of a socket states what to do.
            let isSocket = NetworkAddress.isAddress(failure.path)
            let next = isSocket ? nil : "check the path, its permissions, and the space on the disk"
            throw .file("\(failure)", next: next)
        } catch {
            throw settings.failure(error)
        }
    }

    /// Returns the registrar of new keys, and prints notes about their policies; nil if keys are not registered.
    private func registrar(for job: PackagingJob) async throws -> KeyRegistrar? {
        guard let server else { return nil }
        let title = try job.title.map { title in
            try TitleRegistrar(title, keyURI: job.systems.contains(.fairPlay) ? job.keyURI : nil, on: server)
        }
        let (policies, notes) = try await KeyPolicies.find(given: givenPolicies, systems: job.systems, on: server)
        for note in notes { Terminal.writeError("note: \(escaped(note))") }
        return KeyRegistrar(server, policies: policies, title: title)
    }

    /// Packages a VOD presentation. Keys are registered when everything is written, just before publication: a
    /// presentation without registered keys cannot be played, and keys without a presentation would stay on the server.
    ///
    /// - Returns: The signal that interrupted packaging; nil on completion.
    private func package(_ plan: PackagingPlan) async throws -> Int32? {
        let delivery = KeyDelivery(try await registrar(for: plan.job))
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
        let registrar = try await registrar(for: job)
        if registrar != nil, !givenPolicies.contains(where: { $0.trackClass == nil }) {
            for variant in job.outputProtection.namedVariants {
                Terminal.writeError(
                    "note: the licenses of a live stream follow the track classes; for the exception of "
                        + "\(escaped(variant)), give its class a policy (--policy CLASS=NAME)"
                )
            }
        }
        let source = try periodSource(job, protection: job.signaledProtection) { try await registrar?.register($0) }
        var registration: KeyRegistration?
        if !job.keysArriveLater, job.scheme != nil { registration = try KeyRegistration(job) }
        if let registration, let savedKeys {
            try registration.save(to: OutputFile.open(savedKeys, access: .owner))
        }
        let packaging = LivePackaging(
            job: job,
            keys: source,
            isQuiet: isQuiet,
            upload: try settings.uploadTarget(),
            registrar: registrar
        )
        try show(try await packaging.run(registering: registration?.keys ?? []))
    }

    /// Returns the source of key periods; nil if the keys of the job do not change.
    ///
    /// - Parameters:
    ///   - protection: Returns the output protection that the playlists signal for a class.
    ///   - deliver: A closure that delivers new keys to a development server.
    private func periodSource(
        _ job: PackagingJob,
        protection: @escaping @Sendable (TrackClass) -> OutputProtection?,
        deliver: @escaping @Sendable ([KeyRegistrar.Key]) async throws -> Void
    ) throws -> (any ContentKeyPeriods)? {
        guard job.keysArriveLater else { return nil }
        var source = try settings.givenPeriods()
        if source == nil, server != nil {
            source = DevelopmentKeyPeriods(
                deliver: deliver,
                template: job.keyURI ?? .fairPlay,
                title: job.title,
                protection: protection
            )
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
        let protections = Dictionary(
            uniqueKeysWithValues: TrackClass.allCases.map { ($0, plan.signaledProtection(of: $0)) }
        )
        let source = try periodSource(
            plan.job,
            protection: { protections[$0] ?? nil },
            deliver: { await delivery.add($0) }
        )
        guard let source else { return [] }
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
