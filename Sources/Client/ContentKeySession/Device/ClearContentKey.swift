import Locking

/// A key of the key system ``ContentKeySystem/clearKey``.
public final class ClearContentKey: ProtectedContentKey {
    private let content: Lock<(key: RedactedBytes, initializationVector: RedactedBytes?)?>

    init(key: RedactedBytes, initializationVector: RedactedBytes?) throws(ContentKeyError) {
        guard key.bytes.count == 16, (initializationVector?.bytes.count ?? 16) == 16 else {
            throw ContentKeyError(.wrongResponse, .response, reason: "a clear key and its IV have 16 bytes each")
        }
        content = Lock((key, initializationVector))
    }

    /// The key, 16 bytes; nil after ``stop()``.
    public var key: RedactedBytes? { content.withLock { $0?.key } }
    /// The initialization vector, 16 bytes; nil if the playlist or the samples specify it, and after ``stop()``.
    public var initializationVector: RedactedBytes? { content.withLock { $0?.initializationVector } }

    /// Nil, because Clear Keys have no lease.
    public var leaseRemaining: Duration? { nil }
    /// True if the key can be used: true until ``stop()``.
    public var isUsable: Bool { content.withLock { $0 != nil } }
    /// Always sufficient, because Clear Keys have no output requirements.
    public var externalProtectionStatus: ExternalContentProtectionStatus { .sufficient }
    /// Does nothing. Throws ``ContentKeyError/Code/keyNotLoaded`` after ``stop()``.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        guard isUsable else { throw ContentKeyError(.keyNotLoaded, .session) }
        return nil
    }
    /// Releases the key.
    public func stop() { content.withLock { $0 = nil } }
}

/// The token of the key system ``ContentKeySystem/authorizationToken``.
public final class AuthorizationToken: ProtectedContentKey {
    private let content: Lock<RedactedBytes?>

    init(_ token: RedactedBytes) { content = Lock(token) }

    /// The token; nil after ``stop()``.
    public var token: RedactedBytes? { content.withLock { $0 } }

    /// Nil, because the session has no lease for a token.
    public var leaseRemaining: Duration? { nil }
    /// True if the token can be used: true until ``stop()``.
    public var isUsable: Bool { content.withLock { $0 != nil } }
    /// Always sufficient, because tokens have no output requirements.
    public var externalProtectionStatus: ExternalContentProtectionStatus { .sufficient }
    /// Does nothing. Throws ``ContentKeyError/Code/keyNotLoaded`` after ``stop()``.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        guard isUsable else { throw ContentKeyError(.keyNotLoaded, .session) }
        return nil
    }
    /// Releases the token.
    public func stop() { content.withLock { $0 = nil } }
}
