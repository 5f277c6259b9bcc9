// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The errors of key requests: reference, section 3.

import Foundation

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// The errors of this module.
enum KeyError {
    /// The meaning is that of the underlying error.
    static let unknown = -11800
    static let operationNotAllowed = -11862
    /// The app cancelled the request.
    static let requestCancelled = -11879
    static let cannotRandomizeDeviceIdentifier = -11888
    static let contentKeyInvalid = -11889

    // Numbers of the FairPlay Streaming Programming Guide.
    static let leaseExpired = -42656
    static let invalidCKC = -42668
    static let persistableKeyExpired = -42800

    static func avFoundation(_ code: Int) -> NSError { NSError(domain: AVFoundationErrorDomain, code: code) }

    static func status(_ number: Int) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: number) }

    /// Returns the error of a failed request: AVFoundationErrorDomain -11800 over the device's error (rule 14).
    static func failure(_ error: NSError) -> NSError {
        guard error.domain != AVFoundationErrorDomain else { return error }
        return NSError(domain: AVFoundationErrorDomain, code: unknown, userInfo: [NSUnderlyingErrorKey: error])
    }

    /// Returns what a player's item shows of a request's error: domain and code, and the underlying error, but not the
    /// message, which does not reach it on every system (rule 20).
    static func forItem(_ error: NSError) -> NSError {
        NSError(
            domain: error.domain,
            code: error.code,
            userInfo: error.userInfo.filter { $0.key == NSUnderlyingErrorKey }
        )
    }
}

extension NSError {
    /// The number of the innermost error.
    var innermostCode: Int { (userInfo[NSUnderlyingErrorKey] as? NSError)?.innermostCode ?? code }
}
