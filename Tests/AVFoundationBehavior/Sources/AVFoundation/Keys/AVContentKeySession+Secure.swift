// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Sync SPCs and reports of expired sessions: reference, section 1.1.

public import Foundation

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeySession {
    // Rules 62 and 63.
    @available(iOS 11, macOS 10.15, tvOS 17, visionOS 1, *)
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey persistableContentKeyData: Data,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        answer(handler) { device throws(NSError) in try device.secureToken(of: persistableContentKeyData) }
    }

    // Rules 64, 65 and 67: neither a file of the app nor a key that a session has loaded changes.
    @available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
    public func invalidatePersistableContentKey(
        _ persistableContentKeyData: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { invalidate(.key(persistableContentKeyData), options ?? [:], handler) }

    // Rule 66.
    @available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
    public func invalidateAllPersistableContentKeys(
        forApp appIdentifier: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { invalidate(.all(certificate: appIdentifier), options ?? [:], handler) }

    // Rule 81: sessions in progress have no report yet.
    public class func pendingExpiredSessionReports(
        withAppIdentifier appIdentifier: Data,
        storageDirectoryAt storageURL: URL
    ) -> [Data] {
        AppleSystem.current.expiredSessionReports.pending(at: storageURL)
            .filter { $0.appIdentifier == appIdentifier }.map(\.data)
    }

    public class func removePendingExpiredSessionReports(
        _ expiredSessionReports: [Data],
        withAppIdentifier appIdentifier: Data,
        storageDirectoryAt storageURL: URL
    ) {
        AppleSystem.current.expiredSessionReports.remove(expiredSessionReports, appIdentifier, at: storageURL)
    }

    @available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
    private func invalidate(
        _ subject: InvalidationSubject,
        _ options: [AVContentKeySessionServerPlaybackContextOption: Any],
        _ handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        let challenge = options[.serverChallenge] as? Data
        let versions = Self.versions(options[.protocolVersions])
        answer(handler) { device throws(NSError) in
            // Rule 64: 8 bytes, 0 by default. Another length is unknown; here it is an error.
            guard challenge.map({ $0.count == 8 }) ?? true else { throw KeyError.avFoundation(KeyError.unknown) }
            let number = (challenge ?? Data()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return try device.invalidate(subject, versions: versions, challenge: number)
        }
    }

    /// Calls a handler later with the device's result.
    private func answer(
        _ handler: @escaping @Sendable (Data?, (any Error)?) -> Void,
        _ body: @Sendable (any FairPlayDevice) throws(NSError) -> Data
    ) {
        let result = Result { () throws(NSError) -> Data in
            guard let device = system.device else { throw KeyError.avFoundation(KeyError.unknown) }
            do throws(NSError) { return try body(device) } catch { throw KeyError.failure(error) }
        }
        system.deliver(on: delegateQueue ?? .global()) {
            switch result {
            case .success(let data): handler(data, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }
}

// The same as async functions, which Swift imports for methods with a completion handler.
@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeySession {
    @available(iOS 13, macOS 10.15, tvOS 17, visionOS 1, *)
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey persistableContentKeyData: Data
    ) async throws -> Data {
        try await dataOrError {
            makeSecureTokenForExpirationDate(ofPersistableContentKey: persistableContentKeyData, completionHandler: $0)
        }
    }

    @available(iOS 13, macOS 10.15, tvOS 17, visionOS 1, *)
    public func invalidatePersistableContentKey(
        _ persistableContentKeyData: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil
    ) async throws -> Data {
        try await dataOrError {
            invalidatePersistableContentKey(persistableContentKeyData, options: options, completionHandler: $0)
        }
    }

    @available(iOS 13, macOS 10.15, tvOS 17, visionOS 1, *)
    public func invalidateAllPersistableContentKeys(
        forApp appIdentifier: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil
    ) async throws -> Data {
        try await dataOrError {
            invalidateAllPersistableContentKeys(forApp: appIdentifier, options: options, completionHandler: $0)
        }
    }
}

/// Waits for a completion handler, as Swift does for an imported method. A handler without data and without error is
/// an error too, since the async form cannot return nil (rule 70).
@available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
func dataOrError(_ body: (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Void) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
        body { data, error in
            if let data, error == nil {
                continuation.resume(returning: data)
            } else {
                continuation.resume(throwing: error ?? NSError(domain: AVFoundationErrorDomain, code: -11800))
            }
        }
    }
}
