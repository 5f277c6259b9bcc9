/// The domain of an error on Apple's systems: the name that an `NSError` has beside its number.
///
/// Any text is a domain; the static properties are the ones of ``PlatformErrorCatalog``.
public struct PlatformErrorDomain: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The domain as `NSError` contains it, such as `CoreMediaErrorDomain`.
    public let rawValue: String
    /// Creates a domain from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Errors of AVFoundation, which `AVError` declares.
    public static let avFoundation = Self(rawValue: "AVFoundationErrorDomain")
    /// Errors of CoreMedia, which plays HLS. Apple does not publish their numbers.
    public static let coreMedia = Self(rawValue: "CoreMediaErrorDomain")
    /// Status numbers of the system, among them those of FairPlay Streaming.
    public static let osStatus = Self(rawValue: "NSOSStatusErrorDomain")
    /// Errors of URL loading, which `URLError` declares.
    public static let url = Self(rawValue: "NSURLErrorDomain")
    /// Errors of Foundation, which `CocoaError` declares.
    public static let cocoa = Self(rawValue: "NSCocoaErrorDomain")
    /// Numbers that a key server reports to an app. No `NSError` of Apple has this domain.
    public static let keyServer = Self(rawValue: "key-server")

    /// The name.
    public var description: String { rawValue }

    /// The domains of the catalog.
    static let all: [Self] = [.avFoundation, .coreMedia, .osStatus, .url, .cocoa, .keyServer]

    /// The other domains in which the same event may appear with the same number.
    ///
    /// A player item's error has `CoreMediaErrorDomain` or `AVFoundationErrorDomain` for one event, and its underlying
    /// error `NSOSStatusErrorDomain`; their numbers do not collide. The small numbers of URL loading and of Foundation mean
    /// something else in every other domain, so they are never looked up across domains.
    var related: [Self] {
        let media: [Self] = [.osStatus, .coreMedia, .avFoundation, .keyServer]
        return switch self {
        case .url, .cocoa: []
        case .avFoundation, .coreMedia, .osStatus, .keyServer: media
        default: media + [.url, .cocoa]
        }
    }
}

/// An error as a program on Apple's systems reports it: a number and, if it is known, the domain of the number.
public struct PlatformErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The domain; nil if a log contains only the number.
    public let domain: PlatformErrorDomain?
    /// The number, such as -42668. Most numbers are negative; see ``init(domain:code:)`` for unsigned ones.
    public let number: Int32

    /// Creates a code.
    public init(domain: PlatformErrorDomain?, number: Int32) {
        (self.domain, self.number) = (domain, number)
    }

    /// Creates a code from an `NSError`'s domain and code.
    ///
    /// - Parameter code: The number; it may be unsigned, as in Safari's `systemCode`: 4294924628 is -42668.
    /// - Returns: The code; nil if the number does not have 32 bits.
    public init?(domain: PlatformErrorDomain?, code: Int) {
        guard let number = Int32(exactly: code) ?? UInt32(exactly: code).map(Int32.init(bitPattern:)) else {
            return nil
        }
        self.init(domain: domain, number: number)
    }

    /// The number as unsigned 32 bits, as Safari and some logs print it: -42656 is 4294924640.
    public var unsignedNumber: UInt32 { UInt32(bitPattern: number) }

    /// The domain and the number, such as `CoreMediaErrorDomain -12642`.
    public var description: String { (domain.map { "\($0) " } ?? "") + "\(number)" }
}
