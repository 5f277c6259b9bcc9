import FPSCrypto
import Synchronization
import TextCoding

/// Who is signed in to the dashboard, in memory: a restart of the server signs everybody out.
///
/// A session stands for a token, by the token's hash, and allows what the token allows at the moment: when that is deleted, its
/// sessions are worth nothing. The ID in the cookie is kept as a hash, as tokens are.
final class DashboardSessions: Sendable {
    /// A session's bounds.
    struct Limits: Sendable {
        /// Without a request of the user's, in seconds.
        var idle: Int64 = 1_800
        /// From signing in, in seconds.
        var lifetime: Int64 = 43_200
        /// How many one token may have; the one that was used least recently makes room.
        var ofOneToken = 16
        /// How many there may be.
        var count = 512
    }

    /// A session that has not ended.
    struct Session: Sendable, Equatable {
        let tokenHash: [UInt8]
        /// When it ends whatever happens, in Unix seconds.
        let end: Int64
        /// When its user last did something, in Unix seconds.
        fileprivate(set) var used: Int64
    }

    let limits: Limits
    private let clock: @Sendable () -> Int64
    /// By the hash of the ID.
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    /// - Parameter clock: the time, in milliseconds since 1970.
    init(limits: Limits = Limits(), clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.limits = limits
        self.clock = clock
    }

    /// Begins a session.
    ///
    /// - Returns: the ID that the cookie carries: 64 hexadecimal digits. It is kept nowhere.
    func begin(tokenHash: [UInt8]) -> String {
        var random = SecureRandom()
        let id = Hexadecimal.encode(random.bytes(32))
        let now = clock() / 1_000
        sessions.withLock { sessions in
            sessions = sessions.filter { isAlive($0.value, at: now) }
            let own = sessions.filter { $0.value.tokenHash == tokenHash }
            if own.count >= limits.ofOneToken { sessions[leastUsed(of: own)] = nil }
            if sessions.count >= limits.count { sessions[leastUsed(of: sessions)] = nil }
            sessions[Self.hash(of: id)] = Session(tokenHash: tokenHash, end: now + limits.lifetime, used: now)
        }
        return id
    }

    /// The session of an ID; nil when there is none, or it has ended.
    ///
    /// - Parameter isUse: whether a user is behind the request, instead of a page that keeps itself up to date.
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

    /// How many there are, of which some may have ended unnoticed.
    var count: Int { sessions.withLock { $0.count } }

    /// What a change must carry beside the cookie: only who can read the server's answers knows it. It is made of the ID, so
    /// that it belongs to this session and nothing has to be kept.
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
