#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession

// Secure reports to a server: expiration dates of persistent keys, invalidated keys, and ended sessions.

extension PlatformContentKeySession {
    /// Creates a secure token that contains the expiration date of a persistent key. The app sends the token to the
    /// server.
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey stored: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = core.session
        return try await platformData(.device) { handler in
            session.object.makeSecureTokenForExpirationDate(
                ofPersistableContentKey: Data(stored),
                completionHandler: handler
            )
        }
    }

    /// Invalidates a persistent key permanently, and returns the proof of invalidation. The app sends the proof to the
    /// server that issued the challenge. The certificate of `context` is not used, because the key contains its own.
    public func invalidatePersistableContentKey(
        _ stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = core.session
        return try await platformData(.device) { handler in
            session.object.invalidatePersistableContentKey(
                Data(stored),
                options: context.platformOptions,
                completionHandler: handler
            )
        }
    }

    /// Invalidates all persistent keys of the app that were requested with the certificate of `context`, and returns
    /// the proof of invalidation, which the app sends to the server that issued the challenge.
    public func invalidateAllPersistableContentKeys(
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = core.session
        return try await platformData(.device) { handler in
            session.object.invalidateAllPersistableContentKeys(
                forApp: Data(context.certificate),
                options: context.platformOptions,
                completionHandler: handler
            )
        }
    }
}

extension ServerPlaybackContext {
    /// The options for AVFoundation. The challenge has 8 bytes in big-endian order, like the server challenge in a Sync
    /// message.
    var platformOptions: [AVContentKeySessionServerPlaybackContextOption: Any] {
        [
            .protocolVersions: protocolVersions.map { NSNumber(value: $0) },
            .serverChallenge: withUnsafeBytes(of: serverChallenge.bigEndian) { Data($0) },
        ]
    }
}

/// The reports of ended sessions that AVFoundation stores in a session's storage directory. AVFoundation writes them
/// itself, so ``add(_:)`` does nothing.
public struct PlatformExpiredSessionReports: ExpiredSessionReportStore {
    /// The storage directory of the session.
    public let storageDirectory: URL

    /// Creates a store for the storage directory of a session.
    public init(storageDirectory: URL) { self.storageDirectory = storageDirectory }

    /// Does nothing.
    public func add(_: [ExpiredSessionReport]) async {}

    /// Returns the pending reports of sessions that used a certificate. `appIdentifier` contains the bytes of the
    /// application certificate.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport] {
        AVContentKeySession.pendingExpiredSessionReports(
            withAppIdentifier: Data(appIdentifier),
            storageDirectoryAt: storageDirectory
        ).map { ExpiredSessionReport(appIdentifier: appIdentifier, data: Array($0)) }
    }

    /// Removes reports that have been sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) async {
        for (app, reports) in Dictionary(grouping: reports, by: \.appIdentifier) {
            AVContentKeySession.removePendingExpiredSessionReports(
                reports.map { Data($0.data) },
                withAppIdentifier: Data(app),
                storageDirectoryAt: storageDirectory
            )
        }
    }
}
#endif
