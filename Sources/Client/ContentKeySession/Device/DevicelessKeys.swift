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

    /// The key, 16 bytes; nil once it was stopped.
    public var key: RedactedBytes? { content.withLock { $0?.key } }
    /// The initialization vector, 16 bytes; nil where the playlist or the samples have it.
    public var initializationVector: RedactedBytes? { content.withLock { $0?.initializationVector } }

    /// Clear keys have no lease.
    public var leaseRemaining: Duration? { nil }
    /// True until it is stopped.
    public var isUsable: Bool { content.withLock { $0 != nil } }
    /// Always sufficient: nothing is demanded.
    public var externalProtectionStatus: ExternalContentProtectionStatus { .sufficient }
    /// Does nothing. Throws ``ContentKeyError/Code/keyGone`` once it was stopped.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        guard isUsable else { throw ContentKeyError(.keyGone, .session) }
        return nil
    }
    /// Lets go of the key.
    public func stop() { content.withLock { $0 = nil } }
}

/// The token of the key system ``ContentKeySystem/authorizationToken``.
public final class AuthorizationToken: ProtectedContentKey {
    private let content: Lock<RedactedBytes?>

    init(_ token: RedactedBytes) { content = Lock(token) }

    /// The token; nil once it was stopped.
    public var token: RedactedBytes? { content.withLock { $0 } }

    /// The session knows of no lease.
    public var leaseRemaining: Duration? { nil }
    /// True until it is stopped.
    public var isUsable: Bool { content.withLock { $0 != nil } }
    /// Always sufficient: nothing is demanded.
    public var externalProtectionStatus: ExternalContentProtectionStatus { .sufficient }
    /// Does nothing. Throws ``ContentKeyError/Code/keyGone`` once it was stopped.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        guard isUsable else { throw ContentKeyError(.keyGone, .session) }
        return nil
    }
    /// Lets go of the token.
    public func stop() { content.withLock { $0 = nil } }
}
