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
    init(_ json: JSONText?) {
        type = json?["type"]?.text.flatMap { $0.split { $0 == ":" || $0 == "/" }.last }.flatMap { LogWord(String($0)) }
        reason = json?["reason"]?.text.flatMap { LogWord($0) }
    }

    /// Takes it from an answer's body, if that is a problem document.
    init(_ answer: KeyTransportAnswer) {
        self.init(JSONText(parsing: answer.body))
    }
}
