#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession

// Secure reports to a server: expiration dates of persistent keys, invalidated keys, and ended sessions.

extension PlatformContentKeySession {
    /// Creates a secure token that reports to the server when a persistent key expires.
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey stored: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = session
        return try await platformData(.device) { handler in
            session.object.makeSecureTokenForExpirationDate(
                ofPersistableContentKey: Data(stored),
                completionHandler: handler
            )
        }
    }

    /// Invalidates a persistent key permanently, and returns the proof for the server that issued the challenge. The
    /// key contains its certificate; the context's certificate is not used.
    public func invalidatePersistableContentKey(
        _ stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = session
        return try await platformData(.device) { handler in
            session.object.invalidatePersistableContentKey(
                Data(stored),
                options: context.platformOptions,
                completionHandler: handler
            )
        }
    }

    /// Invalidates all persistent keys of the app in the same way.
    public func invalidateAllPersistableContentKeys(
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let session = session
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
    /// AVFoundation requires the challenge as 8 bytes in big-endian order, as in the message.
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

    /// Returns the pending reports made with a certificate.
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
