import FPSCrypto

/// A row that a transaction writes, which later shows whether the transaction was committed.
///
/// The status query inserts a counter-mark with the same ID. If the mark exists, the transaction was committed. If it
/// does not, the counter-mark takes its primary key, so the transaction can no longer be committed, even if its server
/// process continues later. If the transaction is still in progress, the query waits for its end.
struct CommitMark {
    private let id: [UInt8]

    init() {
        var random = SecureRandom()
        id = [random.next() as UInt64, random.next()].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }

    /// The statement for the transaction itself.
    var insertion: PostgresQuery {
        PostgresQuery("INSERT INTO commit_mark (id, is_commit) VALUES ($1, TRUE)", [.bytes(id)])
    }

    /// The statements for another connection. The last row shows whether the transaction was committed. They can be
    /// repeated.
    var statusQuery: [PostgresQuery] {
        [
            PostgresQuery(
                "INSERT INTO commit_mark (id, is_commit) VALUES ($1, FALSE) ON CONFLICT (id) DO NOTHING",
                [.bytes(id)]
            ),
            PostgresQuery("SELECT is_commit FROM commit_mark WHERE id = $1", [.bytes(id)]),
        ]
    }
}
