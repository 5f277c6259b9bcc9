import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// A request to administration whose token allows it.
struct AdminRequest: Sendable {
    let request: Request
    let context: ServerRequestContext
    let identity: AdminIdentity
    /// The ID of the session that asks, if one does.
    let sessionID: Substring?
    /// The route as it stands in the router.
    let route: String
    /// When it came, in milliseconds since 1970.
    let milliseconds: Int64
    /// Was started then.
    let stopwatch: Stopwatch

    /// When it came, in Unix seconds.
    var now: Int64 { milliseconds / 1_000 }

    /// A part of the path, which is percent-encoded and need not be text.
    func bytes(_ name: String) throws(ProblemDocument) -> [UInt8] {
        guard let text = context.parameters.get(name), let bytes = PercentEncoding.decode(text.utf8)
        else { throw ProblemDocument(.malformedRequest, detail: "The path is not percent-encoded.") }
        return bytes
    }

    /// A part of the path that is text.
    func text(_ name: String) throws(ProblemDocument) -> String {
        guard let text = String(validating: try bytes(name), as: UTF8.self) else {
            throw ProblemDocument(.malformedRequest, detail: "The path is not UTF-8.")
        }
        return text
    }

    /// The account in the path: 1 to 200 bytes.
    func account() throws(ProblemDocument) -> String { try Self.account(try text("account")) }

    /// Holds that a text may name an account.
    static func account(_ text: String) throws(ProblemDocument) -> String {
        guard 1...200 ~= text.utf8.count else {
            throw ProblemDocument(.malformedRequest, detail: "An account has 1 to 200 bytes.")
        }
        return text
    }

    /// The device in the path: 32 hexadecimal digits.
    func device() throws(ProblemDocument) -> DeviceHash {
        guard let bytes = Hexadecimal.decode(try text("device")), let device = DeviceHash(stored: bytes)
        else { throw ProblemDocument(.malformedRequest, detail: "A device is 32 hexadecimal digits.") }
        return device
    }

    /// The fields of the body, an object of at most `limit` bytes.
    func fields(upTo limit: Int) async throws -> JSONFields {
        try JSONFields(try await request.jsonBody(upTo: limit), path: "")
    }

    /// Holds that there is no query: a name that is not understood must not be ignored.
    func withoutQuery() throws(ProblemDocument) {
        let query = try FormFields((request.uri.query ?? "").utf8)
        try query.finish()
    }

    /// Changes of what accounts have, in the name of who asks.
    func changes(in store: any GrantStore) -> AccountChanges { AccountChanges(store: store, actor: actor) }

    /// Who asks.
    var actor: AdminActor {
        var actor = AdminActor(name: identity.name, route: route, milliseconds: milliseconds, stopwatch: stopwatch)
        actor.requestID = context.id
        actor.remoteAddress = context.remoteAddress
        return actor
    }

    /// The audit record of a change. It names the token, and never holds it.
    func audit(_ outcome: String, _ what: String) -> AuditRecord { actor.audit(outcome, what) }
}

extension Response {
    /// Done, and nothing to say.
    static var done: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
}

extension JSONFields {
    /// A string of hexadecimal digits, or nil when it is missing. The text is never repeated in an error.
    mutating func bytes(_ name: String) throws(JSONError) -> [UInt8]? {
        guard let text = try string(name) else { return nil }
        guard let bytes = Hexadecimal.decode(text) else {
            throw error(name, "hexadecimal digits were expected")
        }
        return bytes
    }

    /// One of the values of an enumeration, or nil when it is missing.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        _: Choice.Type
    ) throws(JSONError) -> Choice? where Choice.RawValue == String {
        guard let text = try string(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(name, "one of these was expected: \(names)")
        }
        return choice
    }
}
