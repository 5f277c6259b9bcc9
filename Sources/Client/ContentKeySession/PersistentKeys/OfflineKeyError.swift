/// An error of requesting, renewing or reporting a key.
public struct OfflineKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the error: a reason or type of the server's problem document, a kind of
    /// ``ContentKeySession/KeyFailure``, or a code of this module.
    public let code: String
    /// The identifier of the key, or the title.
    public let place: String
    /// A description of the error and what to do about it, without secrets.
    public let reason: String

    /// Creates an error.
    public init(code: String, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// The location, the reason and the code, on one line.
    public var description: String { "\(place): \(reason) (\(code))" }
}
