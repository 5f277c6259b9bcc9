#if canImport(AVFoundation)
public import ContentKeySession
import Foundation

extension ContentKeyError.Code {
    /// The device says no, in another way than this table knows. The error's number and reason say more.
    public static let platformError = Self(rawValue: "platform-error")
    /// A persistable key has expired; Apple's number is -42800.
    public static let persistentKeyExpired = Self(rawValue: "persistent-key-expired")
}

extension ContentKeyError {
    /// An error of AVFoundation. The number that counts is often that of an underlying error.
    ///
    /// | Number | Code |
    /// |---|---|
    /// | -42656 | ``ContentKeyError/Code/leaseExpired`` |
    /// | -42799 | ``ContentKeyError/Code/persistentKeyOutdated`` |
    /// | -42800 | ``ContentKeyError/Code/persistentKeyExpired`` |
    /// | -42803 | ``ContentKeyError/Code/invalidPersistentKey`` |
    /// | another | ``ContentKeyError/Code/platformError`` |
    init(platform error: (any Error)?, _ place: Place = .device) {
        guard let error else {
            self.init(.platformError, place, reason: "AVFoundation gave neither data nor an error")
            return
        }
        // Domain and number only: a text may hold an address, and an address a token.
        let chain = Self.chain(error as NSError)
        let reason = chain.map { "\($0.domain) \($0.code)" }.joined(separator: ", ")
        for number in chain.compactMap({ Int32(exactly: $0.code) }) {
            if let code = Self.codes[number] {
                self.init(code, place, reason: reason, number: number)
                return
            }
        }
        self.init(.platformError, place, reason: reason, number: chain.last.flatMap { Int32(exactly: $0.code) })
    }

    private static let codes: [Int32: Code] = [
        -42656: .leaseExpired, -42799: .persistentKeyOutdated, -42800: .persistentKeyExpired,
        -42803: .invalidPersistentKey,
    ]

    /// An error and what is under it, eight deep at most.
    private static func chain(_ error: NSError) -> [NSError] {
        var chain = [error]
        while chain.count < 8, let under = chain.last?.userInfo[NSUnderlyingErrorKey] as? NSError {
            chain.append(under)
        }
        return chain
    }

    /// Whether another key from the server may help where a kept one was refused.
    var concernsKeptKey: Bool {
        switch code {
        case .persistentKeyOutdated, .persistentKeyExpired, .invalidPersistentKey: true
        default: false
        }
    }
}

/// How AVFoundation is told why there is no key. The player item's error log shows it.
enum PlatformFailure {
    static let domain = "org.keyway.content-key"

    /// A key loader's failure becomes its text and its advice; any other error stays what it is.
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
