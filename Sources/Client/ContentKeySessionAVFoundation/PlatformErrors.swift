#if canImport(AVFoundation)
public import ContentKeySession
import Foundation

extension ContentKeyError.Code {
    /// The device reported an error that is not in the table. The error's number and reason contain details.
    public static let platformError = Self(rawValue: "platform-error")
    /// A persistable key has expired; Apple's number is -42800.
    public static let persistentKeyExpired = Self(rawValue: "persistent-key-expired")
}

extension ContentKeyError {
    /// Creates an error from an AVFoundation error. The relevant number is often that of an underlying error.
    ///
    /// | Number | Code |
    /// |---|---|
    /// | -42656 | ``ContentKeyError/Code/leaseExpired`` |
    /// | -42799 | ``ContentKeyError/Code/persistentKeyOutdated`` |
    /// | -42800 | ``ContentKeyError/Code/persistentKeyExpired`` |
    /// | -42803 | ``ContentKeyError/Code/invalidPersistentKey`` |
    /// | any other | ``ContentKeyError/Code/platformError`` |
    init(platform error: (any Error)?, _ component: Component = .device) {
        guard let error else {
            self.init(.platformError, component, reason: "AVFoundation returned neither data nor an error")
            return
        }
        // Only the domain and the number: a text may contain an address, and an address may contain a token.
        let chain = Self.chain(error as NSError)
        let reason = chain.map { "\($0.domain) \($0.code)" }.joined(separator: ", ")
        for number in chain.compactMap({ Int32(exactly: $0.code) }) {
            if let code = Self.codes[number] {
                self.init(code, component, reason: reason, number: number)
                return
            }
        }
        self.init(.platformError, component, reason: reason, number: chain.last.flatMap { Int32(exactly: $0.code) })
    }

    private static let codes: [Int32: Code] = [
        -42656: .leaseExpired, -42799: .persistentKeyOutdated, -42800: .persistentKeyExpired,
        -42803: .invalidPersistentKey,
    ]

    /// Returns an error and its underlying errors, at most eight.
    private static func chain(_ error: NSError) -> [NSError] {
        var chain = [error]
        while chain.count < 8, let under = chain.last?.userInfo[NSUnderlyingErrorKey] as? NSError {
            chain.append(under)
        }
        return chain
    }

    /// True if a new key from the server may help after a stored key was rejected.
    var isStoredKeyRejection: Bool {
        switch code {
        case .persistentKeyOutdated, .persistentKeyExpired, .invalidPersistentKey: true
        default: false
        }
    }
}

/// The conversion of a failure for AVFoundation. The player item's error log contains it.
enum PlatformFailure {
    static let domain = "org.keyway.content-key"

    /// Returns a key loader's failure with its description and advice; other errors are returned unchanged.
    static func error(_ error: any Error) -> any Error {
        guard let failure = error as? KeyFailure else { return error }
        return NSError(
            domain: domain,
            code: failure.status ?? 0,
            userInfo: [
                NSLocalizedDescriptionKey: failure.description,
                NSLocalizedRecoverySuggestionErrorKey: failure.kind.rule.advice,
            ]
        )
    }
}
#endif
