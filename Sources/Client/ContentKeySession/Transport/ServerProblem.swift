import TextCoding

/// What a server says about a refusal: the type and the reason of a problem document (RFC 9457).
///
/// Both are ``LogWord``s, so that nothing else of what a server says can reach a log.
struct ServerProblem: Hashable, Sendable {
    /// The last part of `type`, such as `refused-by-policy`.
    var type: LogWord?
    /// The member `reason`, such as `streams-exceeded`.
    var reason: LogWord?

    init(type: LogWord? = nil, reason: LogWord? = nil) {
        self.type = type
        self.reason = reason
    }

    /// Takes it from a document; empty when it is none.
    init(_ json: JSONValue?) {
        type = json?["type"]?.text.flatMap { $0.split { $0 == ":" || $0 == "/" }.last }.flatMap { LogWord(String($0)) }
        reason = json?["reason"]?.text.flatMap { LogWord($0) }
    }

    /// Takes it from an answer's body, if that is a problem document.
    init(_ answer: KeyTransportAnswer) {
        self.init(JSONValue(answer: answer.body))
    }
}

extension JSONValue {
    /// A server's answer; nil for what is not JSON or is nested deeper than 16.
    package init?(answer body: [UInt8]) {
        do throws(JSONError) { try self.init(parsing: body, maximumDepth: 16) } catch { return nil }
    }
}
