import FPSCrypto
import KeyStore

/// A decision in a transaction: its reads, and a closure that decides. The closure performs no I/O, so that several
/// jobs share the round trips of their reads and writes.
struct WriteJob: Sendable {
    /// The locks that the decision requires.
    let locks: [LockKey]
    /// The reads under these locks.
    let reads: [PostgresQuery]
    let deadline: ContinuousClock.Instant
    /// Decides, given the results of the reads and the catalog's version.
    let decide: @Sendable ([PostgresResult], Int64) throws -> WriteDecision
    /// Called when nothing was written.
    let fail: @Sendable (any Error) -> Void
}

/// The result of a decision.
struct WriteDecision: Sendable {
    let writes: [PostgresQuery]
    let audit: [AuditRecord]
    /// Called once the commit is durable.
    let succeed: @Sendable () -> Void
}

/// A lock of a transaction on an account, a token or a request: an advisory lock, identified by 64 bits of a hash. A
/// hash collision only causes an unnecessary wait.
struct LockKey: Hashable, Comparable, Sendable {
    /// The kind of object that is locked.
    enum Kind: UInt8 {
        case account = 1
        case token
        case request
        case challenge
        case spc
        case device
    }

    private let number: Int64

    init(_ kind: Kind, _ bytes: [UInt8]) {
        number = SHA256.hash([kind.rawValue] + bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    static func < (left: LockKey, right: LockKey) -> Bool { left.number < right.number }

    /// The statement that acquires the lock until the transaction ends.
    var query: PostgresQuery { PostgresQuery("SELECT pg_advisory_xact_lock($1)", [.integer(number)]) }
}

/// Locks that do not belong to one account. Their key space is separate from that of ``LockKey``.
enum GlobalLock {
    /// Held by transactions that write titles, keys, policies and similar records, so that their checks still hold at
    /// the end.
    static let administration = PostgresQuery("SELECT pg_advisory_xact_lock(\(space), 1)")
    /// Held in shared mode by granting transactions, and exclusively by a transaction that changes the catalog while it
    /// commits (see the trigger in ``Schema1``). Unlike a row lock, it cannot be overtaken by later requests.
    static let catalogShared = PostgresQuery("SELECT pg_advisory_xact_lock_shared(\(space), 2)")
    /// Held by the server that migrates.
    static let migration = "SELECT pg_advisory_xact_lock(\(space), 3)"

    /// "KyWy" in ASCII.
    static let space = 0x4B79_5779
}
