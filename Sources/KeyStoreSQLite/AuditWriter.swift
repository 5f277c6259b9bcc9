import FoundationEssentials
import GRDB
import KeyStore

/// Commits audit records in groups.
///
/// A commit waits for the disk. What arrives meanwhile goes into the next one together, so that the rate follows the
/// load instead of the disk, and still nobody is answered before the record is safe.
actor AuditWriter {
    private typealias Answer = CheckedContinuation<Result<Void, KeyStoreError>, Never>

    private let pool: DatabasePool
    private var waiting: [(record: AuditRecord, answer: Answer)] = []
    private var isWriting = false
    /// So many may wait; a disk that stands still must not fill the memory.
    private static let capacity = 10_000
    private static let groupSize = 500

    init(pool: DatabasePool) { self.pool = pool }

    func append(_ record: AuditRecord) async throws(KeyStoreError) {
        guard waiting.count < Self.capacity else {
            throw KeyStoreError(.overloaded, place: "audit", reason: "\(waiting.count) records wait to be written")
        }
        let result = await withCheckedContinuation { (answer: Answer) in
            waiting.append((record, answer))
            if !isWriting {
                isWriting = true
                // A task of its own: no caller's cancellation may reach the records of the others.
                Task { await writeAll() }
            }
        }
        try result.get()
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let group = waiting.prefix(Self.groupSize)
            waiting.removeFirst(group.count)
            let result = await Self.write(group.map(\.record), to: pool)
            for entry in group { entry.answer.resume(returning: result) }
        }
        isWriting = false
    }

    private static func write(_ records: [AuditRecord], to pool: DatabasePool) async -> Result<Void, KeyStoreError> {
        do {
            try await pool.write { db in
                let statement = try db.cachedStatement(sql: insertion)
                for record in records { try statement.execute(arguments: arguments(record)) }
            }
            return .success(())
        } catch {
            return .failure(KeyStoreError(error, place: "audit"))
        }
    }

    private static let insertion = """
        INSERT INTO audit (milliseconds, route, outcome, detail, transaction_id, session_id, asset_id, device,
            device_class, bundle_name, policy_name, request_id, remote_address, microseconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func arguments(_ record: AuditRecord) -> StatementArguments {
        [
            record.milliseconds, record.route, record.outcome, record.detail,
            record.transactionID.map { Int64(bitPattern: $0) }, record.sessionID.map { Int64(bitPattern: $0) },
            record.assetID.map { Data($0) }, record.device.map { Data($0.bytes) },
            record.deviceClass, record.bundleName, record.policyName, record.requestID, record.remoteAddress,
            record.microseconds,
        ]
    }
}
