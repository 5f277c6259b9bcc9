import DRMSignalling
import FPSCrypto
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
            var plan = try PackagingPlan(job)
            if !isDryRun, let encoder, let exchange = settings.exchange {
                plan = try await encoder.keys(for: plan, exchange)
            }
            let preview = try PackagingTables.plan(plan)
            if isDryRun { return try show(preview) }
            try await deliverKeys(of: plan)
            let start = ContinuousClock.now
            var line = ProgressLine(isWanted: !isQuiet)
            defer { line.clear() }
            let report = try PackagingRun(plan).run { line.show($0) }
            line.clear()
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            try show(try PackagingTables.run(plan, report, seconds: seconds))
        } catch let failure as FileFailure {
            throw .file("\(failure)", next: "check the path, its permissions and the space on the disk")
        } catch {
            throw settings.failure(error)
        }
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
