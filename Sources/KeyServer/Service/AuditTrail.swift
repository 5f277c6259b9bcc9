import FPSMessages
import FoundationEssentials
import KeyServerModule
import KeyStore

/// What becomes known about a request on its way through, until it is an audit record.
struct AuditTrail {
    var policyName: String?
    var notes: [String] = []
    private var record: AuditRecord
    private let start = ContinuousClock.now
    private let milliseconds: Int64

    init(_ question: LicenseService.Question, startedAt milliseconds: Int64) {
        self.milliseconds = milliseconds
        record = AuditRecord(milliseconds: milliseconds, route: question.route, outcome: "", microseconds: 0)
        record.account = question.authorization.isAnonymous ? nil : question.authorization.account
        record.remoteAddress = question.address?.description
        record.requestID = question.requestID
    }

    /// How long it has been on its way.
    var elapsed: Duration { ContinuousClock.now - start }

    /// Takes over what an opened SPC says.
    mutating func note(_ opened: OpenedSPC, _ party: Party) {
        let request = opened.request
        record.account = party.account
        record.assetID = request.assetID.bytes
        record.transactionID = request.transactionID?.number
        record.sessionID = request.mediaPlaybackState?.sessionID
        record.device = party.device
        record.deviceClass = opened.device.name
        record.bundleName = opened.bundle.name
        if let sync = request.sync { notes.append("sync: \(SyncReport(sync, assetID: request.assetID).summary)") }
    }

    /// The record of a request that came to this.
    func record(outcome: String, detail: String?) -> AuditRecord {
        let microseconds = Int64(elapsed / .microseconds(1))
        var final = AuditRecord(
            milliseconds: milliseconds,
            route: record.route,
            outcome: outcome,
            microseconds: microseconds
        )
        let words = [detail].compactMap { $0 } + notes
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
public func systemMilliseconds() -> Int64 {
    Int64(Date().timeIntervalSince1970 * 1000)
}
