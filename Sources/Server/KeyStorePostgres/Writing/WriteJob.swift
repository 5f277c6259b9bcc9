import FPSCrypto
import KeyStore

/// A decision that is taken in a transaction: what has to be read for it, and what comes of it. It does no I/O itself, so
/// that the reads and writes of many share their round trips.
struct WriteJob: Sendable {
    /// What nobody else may decide on meanwhile.
    let locks: [LockKey]
    /// What is read under these locks.
    let reads: [PostgresQuery]
    let deadline: ContinuousClock.Instant
    /// Decides on what was read and on the catalog's version.
    let decide: @Sendable ([PostgresResult], Int64) throws -> WriteDecision
    /// Told that nothing was written.
    let fail: @Sendable (any Error) -> Void
}

/// What comes of a decision.
struct WriteDecision: Sendable {
    let writes: [PostgresQuery]
    let audit: [AuditRecord]
    /// Told once it is safe.
    let succeed: @Sendable () -> Void
}

/// What a transaction locks: an account, a token, a request. Advisory locks of the database, by 64 bits of a hash: who
/// shares them by chance waits for no reason, and that is all.
struct LockKey: Hashable, Comparable, Sendable {
    /// What is locked.
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

    /// Takes the lock until the transaction ends.
    var query: PostgresQuery { PostgresQuery("SELECT pg_advisory_xact_lock($1)", [.integer(number)]) }
}

/// Locks that are not of one account. Their numbers are in another space than those of ``LockKey``.
enum CommonLock {
    /// Whoever writes titles, keys, policies and the like holds it, so that what is checked first still holds at the end.
    static let administration = PostgresQuery("SELECT pg_advisory_xact_lock(\(space), 1)")
    /// Whoever grants holds it with others; a transaction that changes the catalog holds it alone while it is committed
    /// (see the trigger in ``Schema1``). Unlike locks on rows, it lets nobody past who waits.
    static let catalogShared = PostgresQuery("SELECT pg_advisory_xact_lock_shared(\(space), 2)")
    /// One server at a time migrates.
    static let migration = "SELECT pg_advisory_xact_lock(\(space), 3)"

    /// "KyWy".
    static let space = 0x4B79_5779
}
