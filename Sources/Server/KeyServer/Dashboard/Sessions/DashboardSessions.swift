import FPSCrypto
import Synchronization
import TextCoding

/// The sessions of the dashboard, in memory: a restart of the server signs out all users.
///
/// A session represents a token, by the token's hash, and has its current permissions: if the token is deleted, its
/// sessions become invalid. The session ID in the cookie is stored as a hash, like tokens.
final class DashboardSessions: Sendable {
    /// The limits of sessions.
    struct Limits: Sendable {
        /// The maximum time without a user's request, in seconds.
        var idle: Int64 = 1_800
        /// The maximum time since signing in, in seconds.
        var lifetime: Int64 = 43_200
        /// The maximum number of sessions per token; beyond it, the least recently used session is removed.
        var perToken = 16
        /// The maximum number of sessions.
        var count = 512
    }

    /// An active session.
    struct Session: Sendable, Equatable {
        let tokenHash: [UInt8]
        /// The latest end of the session, in Unix seconds.
        let end: Int64
        /// The time of the last user's request, in Unix seconds.
        fileprivate(set) var used: Int64
    }

    let limits: Limits
    private let clock: @Sendable () -> Int64
    /// The sessions by the hash of their ID.
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    /// Creates an empty list of sessions.
    ///
    /// - Parameter clock: Returns the time, in milliseconds since 1970.
    init(limits: Limits = Limits(), clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.limits = limits
        self.clock = clock
    }

    /// Starts a session.
    ///
    /// - Returns: The session ID for the cookie, 64 hexadecimal digits. The server does not store it.
    func begin(tokenHash: [UInt8]) -> String {
        var random = SecureRandom()
        let id = Hexadecimal.encode(random.bytes(32))
        let now = clock() / 1_000
        sessions.withLock { sessions in
            sessions = sessions.filter { isAlive($0.value, at: now) }
            let own = sessions.filter { $0.value.tokenHash == tokenHash }
            if own.count >= limits.perToken { sessions[leastUsed(of: own)] = nil }
            if sessions.count >= limits.count { sessions[leastUsed(of: sessions)] = nil }
            sessions[Self.hash(of: id)] = Session(tokenHash: tokenHash, end: now + limits.lifetime, used: now)
        }
        return id
    }

    /// Returns the session with an ID; nil if it does not exist or has ended.
    ///
    /// - Parameter isUse: Whether a user's action caused the request, rather than an automatic update of the page.
    func session(id: Substring, isUse: Bool) -> Session? {
        let hash = Self.hash(of: id)
        let now = clock() / 1_000
        return sessions.withLock { sessions in
            guard var session = sessions[hash] else { return nil }
            guard isAlive(session, at: now) else {
                sessions[hash] = nil
                return nil
            }
            if isUse, session.used < now {
                session.used = now
                sessions[hash] = session
            }
            return session
        }
    }

    /// Ends a session.
    func end(id: Substring) { sessions.withLock { $0[Self.hash(of: id)] = nil } }

    /// The sessions that have not ended, the last used first.
    var active: [Session] {
        let now = clock() / 1_000
        return sessions.withLock { $0.values.filter { isAlive($0, at: now) } }.sorted { $0.used > $1.used }
    }

    /// The number of sessions, some of which may have expired.
    var count: Int { sessions.withLock { $0.count } }

    /// Returns the CSRF token that a change must contain in addition to the cookie. Only pages that can read the
    /// server's responses know it. It is derived from the session ID, so that it belongs to the session and does not
    /// have to be stored.
    static func changeToken(id: some StringProtocol) -> String {
        Hexadecimal.encode(SHA256.hash(Array("keyway change ".utf8) + id.utf8))
    }

    private static func hash(of id: some StringProtocol) -> [UInt8] { SHA256.hash(Array(id.utf8)) }

    private func isAlive(_ session: Session, at now: Int64) -> Bool {
        now < session.end && now - session.used < limits.idle
    }

    private func leastUsed(of sessions: [[UInt8]: Session]) -> [UInt8] {
        sessions.min { ($0.value.used, $0.key.first ?? 0) < ($1.value.used, $1.key.first ?? 0) }?.key ?? []
    }
}
