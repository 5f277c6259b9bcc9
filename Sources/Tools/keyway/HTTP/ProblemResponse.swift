import Foundation

/// The problem document of an error response of a key server (RFC 9457).
struct ProblemResponse: Error, Sendable {
    /// The members that are read. All are optional, because other programs send problem documents too.
    private struct Document: Decodable {
        var type: String?
        var title: String?
        var detail: String?
        var reason: String?
        var instance: String?
    }

    /// The HTTP status.
    let status: Int
    /// The URI of the type, such as `urn:keyway:problem:token-expired`.
    let type: String?
    /// The title, which is the same for all problems of the type.
    let title: String?
    /// A sentence about this problem.
    let detail: String?
    /// The rule that refused the request.
    let reason: String?
    /// The ID of the response, under which the server's logs have details.
    let instance: String?

    /// Parses the body of a response; nil if it is not a JSON object.
    init?(status: Int, body: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(body)) else { return nil }
        self.status = status
        (type, title, detail) = (document.type, document.title, document.detail)
        (reason, instance) = (document.reason, document.instance)
    }

    /// Creates the problem of a type of a Keyway server, without details.
    init(type name: String) {
        status = 0
        type = "urn:keyway:problem:\(name)"
        (title, detail, reason, instance) = (nil, nil, nil, nil)
    }

    /// The name of the type of a Keyway server, such as `token-expired`; nil for other types.
    var name: String? {
        guard let type, type.hasPrefix("urn:keyway:problem:") else { return nil }
        return String(type.dropFirst("urn:keyway:problem:".count))
    }
}
