#if canImport(AVFoundation)
import ContentKeySession
import Foundation

extension ContentKeyError {
    /// Creates an error from an AVFoundation error. The relevant number is often that of an underlying error.
    init(platform error: (any Error)?, _ component: Component = .device) {
        guard let error else {
            self.init(.platformError, component, reason: "AVFoundation returned neither data nor an error")
            return
        }
        if let failure = PlatformFailure.kind(of: error as NSError) {
            let (kind, code) = (failure.kind, failure.code)
            self.init(
                Code(rawValue: kind.rawValue),
                .response,
                reason: "\(kind.rawValue) (\(code)): \(kind.advice)",
                number: Int32(exactly: code)
            )
            return
        }
        self.init(platformErrors: Self.chain(error as NSError), component)
    }

    /// Returns the codes of an error and its underlying errors, at most eight.
    private static func chain(_ error: NSError) -> [PlatformErrorCode] {
        var chain = [error]
        while chain.count < 8, let under = chain.last?.userInfo[NSUnderlyingErrorKey] as? NSError {
            chain.append(under)
        }
        return chain.compactMap { PlatformErrorCode(domain: PlatformErrorDomain(rawValue: $0.domain), code: $0.code) }
    }

    /// True if a new key from the server may help after a stored key was rejected.
    var isStoredKeyRejection: Bool {
        switch code {
        case .persistentKeyOutdated, .persistentKeyExpired, .invalidPersistentKey: true
        default: false
        }
    }
}

/// The numbers of AVFoundation that the adapter acts on.
enum PlatformErrors {
    /// AVError.Code of a playback destination that cannot randomize the device identifier.
    static let cannotRandomizeDeviceIdentifier: Int32 = -11888
}

/// The errors that the adapter passes to AVFoundation. The player item's error and error log contain them, so each has
/// a code other than 0.
enum PlatformFailure {
    static let domain = "org.keyway.content-key"
    /// The number of an error that has none of its own.
    static let unnumbered = 99

    /// Returns the key loader's failure that an error contains: AVFoundation passes on its domain and its code.
    static func kind(of error: NSError) -> (kind: KeyFailure.Kind, code: Int)? {
        guard error.domain == domain else { return nil }
        let kind =
            KeyFailure.Kind.allCases.first { $0.number == error.code }
            ?? (error.code >= 100 ? KeyFailure.kind(ofStatus: error.code) : nil)
        return kind.map { ($0, error.code) }
    }

    /// A request was released without a response.
    static var noResponse: NSError {
        make(90, "The app did not answer the key request.", "Start playback again.")
    }
    /// The session ended while a request arrived.
    static var sessionEnded: NSError { make(91, "The key session has ended.", "Start playback again.") }
    /// The identifier of a request is not a string or a URL.
    static var unreadableIdentifier: NSError {
        make(92, "The key's identifier is not a URI.", "Check the EXT-X-KEY tags of the playlist.")
    }

    private static func make(_ code: Int, _ description: String, _ advice: String) -> NSError {
        NSError(
            domain: domain,
            code: code,
            userInfo: [NSLocalizedDescriptionKey: description, NSLocalizedRecoverySuggestionErrorKey: advice]
        )
    }

    /// Returns an error whose number is not 0.
    ///
    /// A key loader's failure has its ``KeyFailure/number``, its description and its advice, and the device's error as the
    /// underlying error. A session's error has Apple's domain and number if it has a number. Of other errors, only those with
    /// number 0 are changed: AVFoundation passes the number to the player, where 0 looks like success.
    static func error(_ error: any Error) -> any Error {
        switch error {
        case let failure as KeyFailure:
            var info: [String: Any] = [
                NSLocalizedDescriptionKey: failure.description,
                NSLocalizedRecoverySuggestionErrorKey: failure.advice,
            ]
            info[NSUnderlyingErrorKey] = failure.platformCode.map { platformError($0, failure.explanation) }
            return NSError(domain: domain, code: failure.number, userInfo: info)
        case let error as ContentKeyError:
            if let number = error.number, number != 0 {
                return platformError(PlatformErrorCode(domain: error.domain, number: number), error.explanation)
            }
            return NSError(
                domain: domain,
                code: unnumbered,
                userInfo: [NSLocalizedDescriptionKey: error.description]
            )
        default:
            let error = error as NSError
            guard error.code == 0 else { return error }
            return NSError(domain: domain, code: unnumbered, userInfo: [NSUnderlyingErrorKey: error])
        }
    }

    private static func platformError(_ code: PlatformErrorCode, _ explanation: PlatformErrorExplanation?) -> NSError {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = explanation?.meaning
        info[NSLocalizedRecoverySuggestionErrorKey] = explanation?.remedies.joined(separator: " ")
        let domain = code.domain ?? explanation?.domains.first ?? .osStatus
        return NSError(domain: domain.rawValue, code: Int(code.number), userInfo: info)
    }
}
#endif
