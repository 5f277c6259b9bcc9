#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession

// What a server is told securely: until when a kept key is valid, that kept keys are void, that sessions have ended.

extension PlatformContentKeySession {
    /// Makes what tells the server until when a stored key is valid.
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

    /// Makes a stored key unusable for ever, and makes what proves that to the server that gave the challenge. The stored
    /// key itself knows its certificate; the context's is not used.
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

    /// Makes every stored key of the app unusable, likewise.
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
    /// AVFoundation takes the challenge as 8 bytes, the highest first, as they stand in the message.
    var platformOptions: [AVContentKeySessionServerPlaybackContextOption: Any] {
        [
            .protocolVersions: protocolVersions.map { NSNumber(value: $0) },
            .serverChallenge: withUnsafeBytes(of: serverChallenge.bigEndian) { Data($0) },
        ]
    }
}

/// Reports of ended sessions that AVFoundation keeps in a session's storage directory. It writes them itself, so that
/// ``add(_:)`` has nothing to do.
public struct PlatformExpiredSessionReports: ExpiredSessionReportStore {
    /// The directory that was given to the session.
    public let storageDirectory: URL

    /// Names the directory that was given to the session.
    public init(storageDirectory: URL) { self.storageDirectory = storageDirectory }

    /// Does nothing.
    public func add(_: [ExpiredSessionReport]) async {}

    /// The reports made with a certificate that wait.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport] {
        AVContentKeySession.pendingExpiredSessionReports(
            withAppIdentifier: Data(appIdentifier),
            storageDirectoryAt: storageDirectory
        ).map { ExpiredSessionReport(appIdentifier: appIdentifier, data: Array($0)) }
    }

    /// Removes reports that were sent.
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
