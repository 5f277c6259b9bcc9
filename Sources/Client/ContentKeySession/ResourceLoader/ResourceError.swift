/// Why a ``ResourceRequest`` has no answer. It holds no secret.
public struct ResourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong; the names are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The address is none that this app answers for.
        case notIntercepted = "not-intercepted"
        /// The player takes no type that the resource has.
        case typeNotAllowed = "type-not-allowed"
        /// The resource ends before the bytes that were asked for.
        case wrongRange = "wrong-range"
        /// No connection, or it broke: offline, a key that is not kept.
        case noConnection = "no-connection"
        /// The server did not answer in time.
        case deadline
        /// The answer is larger than a playlist or a key may be.
        case tooLarge = "too-large"
        /// The address cannot be asked, or a redirect leads to one that cannot, or to too many.
        case badAddress = "bad-address"
        /// The server answered with another status than 200.
        case status
        /// What came is not a playlist.
        case unreadablePlaylist = "unreadable-playlist"
        /// What came is not a key, which has 16 bytes.
        case unreadableKey = "unreadable-key"
        /// Nobody waits any more.
        case cancelled
    }

    /// What went wrong.
    public let code: Code
    /// What had the error, as it may stand in a log.
    public let place: KeyLabel
    /// The status of the server's answer, where it is the matter.
    public let status: Int?

    /// Makes an error about an address.
    public init(_ code: Code, _ url: String, status: Int? = nil) {
        (self.code, self.status) = (code, status)
        place = KeyLabel(url)
    }

    init(_ error: KeyTransportError, _ url: String) {
        let code: Code =
            switch error {
            case .noConnection: .noConnection
            case .deadline: .deadline
            case .tooLarge: .tooLarge
            case .badAddress: .badAddress
            case .cancelled: .cancelled
            }
        self.init(code, url)
    }

    /// One line.
    public var description: String { "\(place): \(code.rawValue)" + (status.map { " (\($0))" } ?? "") }
}
