import FPSMessages
import FoundationEssentials
import KeyServerModule
import KeyStore

/// Collects the information about a request while it is processed, and creates its audit record.
struct AuditRecordBuilder {
    var policyName: String?
    private var notes: [String] = []
    /// The facts that a policy trial can evaluate again; available once the content is known.
    var facts: RequestProperties?
    /// The evidence in the SPC.
    var evidence: SPCEvidence?
    private var device: ReportedDevice?
    /// The asset ID in the SPC.
    private var name: [UInt8]?
    private var record: AuditRecord
    private let stopwatch: Stopwatch
    private let milliseconds: Int64

    /// Creates the audit information of a request.
    ///
    /// - Parameters:
    ///   - milliseconds: The time at which the request arrived, in milliseconds since 1970.
    ///   - stopwatch: A stopwatch that was started at the same time.
    init(_ attempt: LicenseService.Attempt, startedAt milliseconds: Int64, _ stopwatch: Stopwatch) {
        self.milliseconds = milliseconds
        self.stopwatch = stopwatch
        record = AuditRecord(milliseconds: milliseconds, route: attempt.route, outcome: "", microseconds: 0)
        record.account = attempt.authorization.isAnonymous ? nil : attempt.authorization.account
        record.remoteAddress = attempt.address?.description
        record.requestID = attempt.requestID
    }

    /// The time since the request arrived.
    var elapsed: Duration { stopwatch.elapsed }

    /// Adds the contents of a decrypted SPC.
    mutating func note(_ opened: OpenedSPC, _ requester: Requester) {
        let request = opened.request
        device = opened.device
        record.account = requester.account
        record.assetID = request.assetID.bytes
        name = request.assetID.bytes
        record.transactionID = request.transactionID?.number
        record.sessionID = request.mediaPlaybackState?.sessionID
        record.device = requester.device
        record.deviceClass = opened.device.name
        record.bundleName = opened.bundle.name
        if let sync = request.sync { notes.append("sync: \(SyncReport(sync, assetID: request.assetID.bytes).summary)") }
    }

    /// Sets the registered asset. If the SPC contains an ``AssetAlias``, the record contains both.
    mutating func note(assetID: [UInt8]) { record.assetID = assetID }

    /// Returns the dashboard's event for the request.
    ///
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    func event(_ outcome: ServerMetrics.Outcome, reason: String?, at milliseconds: Int64) -> ActivityEvent {
        ActivityEvent(
            milliseconds: milliseconds,
            route: record.route,
            outcome: outcome,
            reason: reason,
            microseconds: Int(stopwatch.microseconds),
            client: device.map { ActivityEvent.Client($0) },
            osVersion: device?.osVersion.map { "\($0)" },
            account: record.account,
            assetID: record.assetID,
            policyName: policyName,
            facts: facts
        )
    }

    /// Returns the audit record of the request.
    ///
    /// - Parameter notes: Notes about the license, in addition to those that were collected.
    func record(outcome: String, detail: String?, notes more: [Note] = []) -> AuditRecord {
        var final = AuditRecord(
            milliseconds: milliseconds,
            route: record.route,
            outcome: outcome,
            microseconds: stopwatch.microseconds
        )
        let alias = name == record.assetID ? nil : name.map { "requested as \(displayName(ofAssetID: $0))" }
        let details = [detail, alias].compactMap { $0 } + notes + more.map(\.description)
        final.detail = details.isEmpty ? nil : details.joined(separator: "; ")
        final.account = record.account
        final.transactionID = record.transactionID
        final.sessionID = record.sessionID
        final.assetID = record.assetID
        final.device = record.device
        final.deviceClass = record.deviceClass
        final.bundleName = record.bundleName
        final.policyName = policyName
        final.remoteAddress = record.remoteAddress
        final.requestID = record.requestID
        return final
    }
}

/// Returns the time in milliseconds since 1970.
@Sendable
package func systemMilliseconds() -> Int64 {
    Int64(Date().timeIntervalSince1970 * 1000)
}
