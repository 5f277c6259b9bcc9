import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// An authorized request for administration.
struct AdminRequest: Sendable {
    let request: Request
    let context: ServerRequestContext
    let identity: AdminIdentity
    /// The ID of the session, if the request uses one.
    let sessionID: Substring?
    /// The route pattern.
    let route: String
    /// The time at which the request arrived, in milliseconds since 1970.
    let milliseconds: Int64
    /// A stopwatch that was started at the same time.
    let stopwatch: Stopwatch

    /// The time at which the request arrived, in Unix seconds.
    var now: Int64 { milliseconds / 1_000 }

    /// Returns a path parameter, which is percent-encoded and may be any bytes.
    func bytes(_ name: String) throws(ProblemDocument) -> [UInt8] {
        guard let text = context.parameters.get(name), let bytes = PercentEncoding.decode(text.utf8)
        else { throw ProblemDocument(.malformedRequest, detail: "The path is not percent-encoded correctly.") }
        return bytes
    }

    /// Returns a path parameter as text.
    func text(_ name: String) throws(ProblemDocument) -> String {
        guard let text = String(validating: try bytes(name), as: UTF8.self) else {
            throw ProblemDocument(.malformedRequest, detail: "The path is not UTF-8.")
        }
        return text
    }

    /// Returns the account in the path, 1 to 200 bytes.
    func account() throws(ProblemDocument) -> String { try Self.account(try text("account")) }

    /// Checks that a text is a valid account name.
    static func account(_ text: String) throws(ProblemDocument) -> String {
        guard 1...200 ~= text.utf8.count else {
            throw ProblemDocument(.malformedRequest, detail: "The account must have 1 to 200 bytes.")
        }
        return text
    }

    /// Returns the device in the path, 32 hexadecimal digits.
    func device() throws(ProblemDocument) -> DeviceHash {
        guard let bytes = Hexadecimal.decode(try text("device")), let device = DeviceHash(stored: bytes)
        else { throw ProblemDocument(.malformedRequest, detail: "The device must be 32 hexadecimal digits.") }
        return device
    }

    /// Returns the fields of the body, a JSON object of at most `limit` bytes.
    func fields(upTo limit: Int) async throws -> JSONFields {
        try JSONFields(try await request.jsonBody(upTo: limit), path: "")
    }

    /// Checks that there is no query, because unknown query fields must not be ignored.
    func requireNoQuery() throws(ProblemDocument) {
        let query = try FormFields((request.uri.query ?? "").utf8)
        try query.finish()
    }

    /// Returns changes to accounts, with the client of this request as the actor.
    func changes(in store: any GrantStore) -> AccountChanges { AccountChanges(store: store, actor: actor) }

    /// The actor of the request.
    var actor: AdminActor {
        var actor = AdminActor(name: identity.name, route: route, milliseconds: milliseconds, stopwatch: stopwatch)
        actor.requestID = context.id
        actor.remoteAddress = context.remoteAddress
        return actor
    }

    /// Returns the audit record of a change. It contains the name of the token, and never the token itself.
    func audit(_ outcome: String, _ what: String) -> AuditRecord { actor.audit(outcome, what) }
}

extension Response {
    /// A response without content.
    static var noContent: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
}

extension JSONFields {
    /// Returns a field of hexadecimal digits, or nil if it is missing. Errors never contain the text.
    mutating func bytes(_ name: String) throws(JSONError) -> [UInt8]? {
        guard let text = try string(name) else { return nil }
        guard let bytes = Hexadecimal.decode(text) else {
            throw error(name, "expected hexadecimal digits")
        }
        return bytes
    }

    /// Returns a field with a value of an enumeration, or nil if it is missing.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        _: Choice.Type
    ) throws(JSONError) -> Choice? where Choice.RawValue == String {
        guard let text = try string(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(name, "expected one of: \(names)")
        }
        return choice
    }
}
