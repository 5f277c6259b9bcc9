import TextCoding

/// The error that a server reports: the type and the reason of a problem document (RFC 9457).
///
/// Both are ``LogSafeWord``s, so that no other server text can be logged.
struct ServerProblem: Hashable, Sendable {
    /// The last part of `type`, such as `refused-by-policy`.
    var type: LogSafeWord?
    /// The member `reason`, such as `streams-exceeded`.
    var reason: LogSafeWord?

    init(type: LogSafeWord? = nil, reason: LogSafeWord? = nil) {
        self.type = type
        self.reason = reason
    }

    /// Reads the problem from a JSON document; empty if the document is not a problem document.
    init(_ json: JSONValue?) {
        type = json?["type"]?.text.flatMap { $0.split { $0 == ":" || $0 == "/" }.last }.flatMap {
            LogSafeWord(String($0))
        }
        reason = json?["reason"]?.text.flatMap { LogSafeWord($0) }
    }

    /// Reads the problem from the body of a response; empty if it is not a problem document.
    init(_ answer: KeyTransportResponse) {
        self.init(JSONValue(answer: answer.body))
    }
}

extension JSONValue {
    /// Parses a server's response; nil if it is not JSON or is nested more than 16 levels deep.
    package init?(answer body: [UInt8]) {
        do throws(JSONError) { try self.init(parsing: body, maximumDepth: 16) } catch { return nil }
    }
}
