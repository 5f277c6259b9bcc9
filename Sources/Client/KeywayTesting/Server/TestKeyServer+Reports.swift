import FPSMessages
import Locking
import TextCoding

// The reports of devices about persistent keys (Sync), in the server's format.

extension TestKeyServer {
    /// Records a report and returns the response.
    func report(_ sync: Sync, _ assetID: String) throws(TestProblem) -> JSONValue {
        switch sync {
        case .version1(let contentID, let expiry, _):
            record(OfflineKeyReport(assetID, expiry))
            return .object([
                "sync": .object([
                    "version": .integer(1), "assetId": .string(assetID),
                    "contentId": .string(Hexadecimal.encode(contentID)), "remaining": Self.json(expiry),
                ])
            ])
        case .version2(let report):
            let invalidates = !report.flags.isDisjoint(with: [.secureInvalidation, .secureInvalidationAll])
            if invalidates, !report.flags.isDisjoint(with: [.success, .objectNotFound]) {
                try use(challenge: report.serverChallenge)
            }
            record(
                OfflineKeyReport(
                    assetID,
                    report.expiry,
                    deleted: report.invalidatedStreamIDs,
                    isProof: invalidates && report.flags.contains(.success)
                )
            )
            return .object([
                "sync": .object([
                    "version": .integer(2), "assetId": .string(assetID),
                    "titleId": .string(Hexadecimal.encode(report.titleID)),
                    "challenge": .string(Hexadecimal.encode(report.serverChallenge)),
                    "flags": .array(Self.names(report.flags).map { .string($0) }),
                    "remaining": Self.json(report.expiry),
                    "invalidatedStreamIds": .array(
                        report.invalidatedStreamIDs.map { .string(Hexadecimal.encode($0)) }
                    ),
                ])
            ])
        }
    }

    /// Records a report of a scripted device and returns the response.
    func report(_ report: ScriptedReport) throws(TestProblem) -> JSONValue {
        if report.isDeletion { try use(challenge: report.challenge) }
        record(
            OfflineKeyReport(
                assetID: report.assetID,
                remaining: report.remaining.map { .seconds($0) },
                provesDeletion: report.isDeletion,
                deletedStreamIDs: []
            )
        )
        return .object([
            "sync": .object([
                "version": .integer(2), "assetId": .string(report.assetID),
                "flags": .array([.string(report.isDeletion ? "secureInvalidation" : "report"), .string("success")]),
                "remaining": report.remaining.map { .integer($0) } ?? .null, "invalidatedStreamIds": .array([]),
            ])
        ])
    }

    /// Uses up a challenge, which is valid for one proof.
    private func use(challenge: UInt64) throws(TestProblem) {
        guard state.withLock({ $0.challenges.remove(challenge) != nil }) else {
            throw TestProblem(403, "refused-by-policy", reason: "challenge-unknown")
        }
    }

    private func record(_ report: OfflineKeyReport) { state.withLock { $0.reports.append(report) } }

    private static func json(_ expiry: Sync.Expiry) -> JSONValue {
        expiry == .never ? .null : .integer(Int(expiry.rawValue))
    }

    private static func names(_ flags: Sync.Flags) -> [String] {
        let all: [(Sync.Flags, String)] = [
            (.report, "report"), (.secureInvalidation, "secureInvalidation"),
            (.secureInvalidationAll, "secureInvalidationAll"), (.success, "success"),
            (.objectNotFound, "objectNotFound"), (.objectExpired, "objectExpired"),
        ]
        return all.filter { flags.contains($0.0) }.map(\.1)
    }
}

extension OfflineKeyReport {
    fileprivate init(_ assetID: String, _ expiry: Sync.Expiry, deleted: [[UInt8]] = [], isProof: Bool = false) {
        self.init(
            assetID: assetID,
            remaining: expiry == .never ? nil : .seconds(Int64(expiry.rawValue)),
            provesDeletion: isProof,
            deletedStreamIDs: deleted
        )
    }
}
