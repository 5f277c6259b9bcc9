import FPSCrypto

/// A mark that a transaction leaves beside what it writes, and which tells later whether it was committed.
///
/// The question puts a counter-mark of the same number. If the mark is there, the transaction was committed. If it is not,
/// the counter-mark takes its place, and the transaction can be committed no more, however late its server process hears
/// of it. While the transaction is still under way the question waits for its end.
struct CommitMark {
    private let id: [UInt8]

    init() {
        var random = SecureRandom()
        id = [random.next() as UInt64, random.next()].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }

    /// For the transaction itself.
    var insertion: PostgresQuery {
        PostgresQuery("INSERT INTO commit_mark (id, is_commit) VALUES ($1, TRUE)", [.bytes(id)])
    }

    /// For another connection: the last row is whether the transaction was committed. It may be asked again.
    var question: [PostgresQuery] {
        [
            PostgresQuery(
                "INSERT INTO commit_mark (id, is_commit) VALUES ($1, FALSE) ON CONFLICT (id) DO NOTHING",
                [.bytes(id)]
            ),
            PostgresQuery("SELECT is_commit FROM commit_mark WHERE id = $1", [.bytes(id)]),
        ]
    }
}
