/// The error of a ``ResourceRequest``. It contains no secrets.
public struct ResourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; the names are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The address is not one that this app answers.
        case notIntercepted = "not-intercepted"
        /// The player does not accept any type of the resource.
        case typeNotAllowed = "type-not-allowed"
        /// The requested bytes are after the end of the resource.
        case wrongRange = "wrong-range"
        /// The connection failed or was interrupted; for example, the device is offline and the key is not stored.
        case noConnection = "no-connection"
        /// The server did not respond in time.
        case deadline
        /// The response exceeds the maximum size of a playlist or a key.
        case tooLarge = "too-large"
        /// The address, or the target of a redirect, is not valid, or there are too many redirects.
        case badAddress = "bad-address"
        /// The server responded with a status other than 200.
        case status
        /// The response is not a playlist.
        case unreadablePlaylist = "unreadable-playlist"
        /// The response is not a key, which has 16 bytes.
        case unreadableKey = "unreadable-key"
        /// The key could not be stored for offline playback.
        case keyNotStored = "key-not-stored"
        /// The request was cancelled.
        case cancelled
    }

    /// The kind of error.
    public let code: Code
    /// The address of the resource, in a form that can be logged.
    public let place: KeyLabel
    /// The HTTP status, if it is the cause.
    public let status: Int?

    /// Creates an error for an address.
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

    /// The address, the code and the status, on one line.
    public var description: String { "\(place): \(code.rawValue)" + (status.map { " (\($0))" } ?? "") }
}
