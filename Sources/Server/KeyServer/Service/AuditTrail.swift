import FPSMessages
import FoundationEssentials
import KeyServerModule
import KeyStore

/// What becomes known about a request on its way through, until it is an audit record.
struct AuditTrail {
    var policyName: String?
    private var notes: [String] = []
    /// What a policy could decide about again, once the content is known.
    var facts: RequestFacts?
    /// What the SPC proves.
    var evidence: SPCEvidence?
    private var device: ReportedDevice?
    /// The asset ID as the SPC says it.
    private var name: [UInt8]?
    private var record: AuditRecord
    private let stopwatch: Stopwatch
    private let milliseconds: Int64

    /// - Parameters:
    ///   - milliseconds: when the request came, since 1970.
    ///   - stopwatch: was started then.
    init(_ question: LicenseService.Question, startedAt milliseconds: Int64, _ stopwatch: Stopwatch) {
        self.milliseconds = milliseconds
        self.stopwatch = stopwatch
        record = AuditRecord(milliseconds: milliseconds, route: question.route, outcome: "", microseconds: 0)
        record.account = question.authorization.isAnonymous ? nil : question.authorization.account
        record.remoteAddress = question.address?.description
        record.requestID = question.requestID
    }

    /// How long it has been on its way.
    var elapsed: Duration { stopwatch.elapsed }

    /// Takes over what an opened SPC says.
    mutating func note(_ opened: OpenedSPC, _ party: Party) {
        let request = opened.request
        device = opened.device
        record.account = party.account
        record.assetID = request.assetID.bytes
        name = request.assetID.bytes
        record.transactionID = request.transactionID?.number
        record.sessionID = request.mediaPlaybackState?.sessionID
        record.device = party.device
        record.deviceClass = opened.device.name
        record.bundleName = opened.bundle.name
        if let sync = request.sync { notes.append("sync: \(SyncReport(sync, assetID: request.assetID.bytes).summary)") }
    }

    /// Takes over which registered asset the SPC means. The record has what the SPC says too, where that is an ``AssetAlias``.
    mutating func note(assetID: [UInt8]) { record.assetID = assetID }

    /// What the dashboard shows of a request that came to this.
    ///
    /// - Parameter milliseconds: the time, since 1970.
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

    /// The record of a request that came to this.
    ///
    /// - Parameter notes: what is worth recording of the license, beside what was noted on the way.
    func record(outcome: String, detail: String?, notes more: [Note] = []) -> AuditRecord {
        var final = AuditRecord(
            milliseconds: milliseconds,
            route: record.route,
            outcome: outcome,
            microseconds: stopwatch.microseconds
        )
        let alias = name == record.assetID ? nil : name.map { "asked for as \(displayName(ofAssetID: $0))" }
        let words = [detail, alias].compactMap { $0 } + notes + more.map(\.description)
        final.detail = words.isEmpty ? nil : words.joined(separator: "; ")
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

/// The time in milliseconds since 1970.
@Sendable
package func systemMilliseconds() -> Int64 {
    Int64(Date().timeIntervalSince1970 * 1000)
}
