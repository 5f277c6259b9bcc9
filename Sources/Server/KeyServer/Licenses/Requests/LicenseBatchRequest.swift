import TextCoding

/// The shape of a batch; the response has the same one.
///
/// | Shape | Request | Response |
/// |---|---|---|
/// | create CKC | `{"fairplay-streaming-request": {"version": 1, "create-ckc": [{"id": 1, "spc": "…", "asset-id": "movie", "persist": false}, …]}}` | `{"fairplay-streaming-response": {"create-ckc": [{"id": 1, "status": 0, "ckc": "…", …}, …]}}` |
/// | streaming keys | `{"fairplay-streaming-request": {"version": 1, "streaming-keys": [{"id": 1, "uri": "skd://movie", "spc": "…"}, …]}}` | `{"fairplay-streaming-response": {"streaming-keys": [{"id": 1, "status": 0, "ckc": "…", …}, …]}}` |
/// | key messages | `[{"keyID": "…", "payload": "…"}, …]` | `[{"keyID": "…", "payload": "…"}, …]`, with `error` instead of `payload` for a refusal |
///
/// The second shape is that of WebKit's test server, whose clients read the response by position. The third one is the
/// message of a session for several keys in WebKit, which it also expects as the response; both are public in
/// `LayoutTests/http/tests/media/fairplay` and `CDMInstanceFairPlayStreamingAVFObjC.mm` of WebKit.
package enum LicenseBatchShape: Sendable, Equatable { case createCKC, streamingKeys, keyMessages }

/// The ID of an item of a batch, which the client chose and the response repeats.
package enum LicenseItemID: Sendable, Equatable, ExpressibleByIntegerLiteral {
    case number(Int)
    case text(String)
    case none

    package init(integerLiteral value: Int) { self = .number(value) }

    /// The ID in JSON; nil if the item has none.
    var json: JSONValue? {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        case .none: nil
        }
    }
}

/// The request body of `POST /fps/licenses`, a batch of license requests in a ``LicenseBatchShape``.
/// `POST /fps/license` accepts it too, because many clients have only one URL.
///
/// In the first shape, `id` is an integer and unique. `asset-id`, `persist` and `preload` are optional. `uri` is not
/// used, because clients send the same one for several keys: the asset ID in the SPC is authoritative. Unknown fields
/// are ignored. An item that has an ID and is otherwise malformed only fails itself; any other error fails the whole
/// request. The bytes of the body decide whether it is JSON, not its Content-Type.
package struct LicenseBatchRequest: Sendable {
    /// An item of the batch.
    package struct Item: Sendable {
        /// The ID that the client chose.
        package let id: LicenseItemID
        /// The license request, or the reason why it could not be parsed.
        package let request: Result<LicenseRequest, ProblemDocument>
    }

    private static let envelope = "fairplay-streaming-request"
    /// The number of bytes in which the name of the envelope must start.
    private static let envelopeRange = 4_096

    /// The shape.
    package let shape: LicenseBatchShape
    /// The items in the order of the request.
    package let items: [Item]

    /// Returns whether a body is to be parsed as a batch: it is a JSON array, or its start contains the name of the
    /// envelope.
    static func matches(_ body: [UInt8]) -> Bool {
        let text = body[LicenseBodyFormat.content(of: body)]
        return switch text.first {
        case UInt8(ascii: "["): true
        case UInt8(ascii: "{"): text.prefix(envelopeRange).firstRange(of: Array("\"\(envelope)\"".utf8)) != nil
        default: false
        }
    }

    /// Parses a batch.
    ///
    /// - Parameter maximum: The maximum number of items; the minimum is one.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType`` or
    ///   ``ProblemType/malformedRequest``.
    package init(
        body: [UInt8],
        contentType: String?,
        maximum: Int = 32,
        names: LicenseFieldNames = LicenseFieldNames()
    ) throws(ProblemDocument) {
        guard try LicenseBodyFormat(body, contentType: contentType) == .json else {
            throw ProblemDocument(.unsupportedMediaType, detail: "Send application/json.")
        }
        do throws(JSONError) {
            let value = try JSONValue(parsing: Array(body[LicenseBodyFormat.content(of: body)]))
            if case .array(let values) = value {
                shape = .keyMessages
                try Self.require(values.count, upTo: maximum, path: "")
                items = try Self.keyMessages(values, names)
                return
            }
            var outer = try JSONFields(value, path: "")
            guard let request = outer.read(Self.envelope) else {
                throw outer.error(Self.envelope, "the field is missing")
            }
            var fields = try JSONFields(request, path: "/\(Self.envelope)")
            let (version, keys) = (fields.read("version"), try fields.array("streaming-keys"))
            let values = try fields.array("create-ckc")
            shape = keys != nil && values == nil ? .streamingKeys : .createCKC
            guard version == .integer(1) || shape == .streamingKeys && version == .string("1") else {
                throw fields.error("version", "expected 1")
            }
            let path = shape == .streamingKeys ? "streaming-keys" : "create-ckc"
            let all = values ?? keys ?? []
            try Self.require(all.count, upTo: maximum, path: "/\(Self.envelope)/\(path)")
            items = try Self.items(all, path: "/\(Self.envelope)/\(path)", shape, names)
        } catch {
            throw ProblemDocument(malformed: error)
        }
    }

    private static func require(_ count: Int, upTo maximum: Int, path: String) throws(JSONError) {
        guard (1...maximum).contains(count) else {
            throw JSONError(reason: "expected 1 to \(maximum) items", place: .path(path))
        }
    }

    private static func items(
        _ values: [JSONValue],
        path: String,
        _ shape: LicenseBatchShape,
        _ names: LicenseFieldNames
    ) throws(JSONError) -> [Item] {
        var items: [Item] = []
        for (index, value) in values.enumerated() {
            var fields = try JSONFields(value, path: "\(path)/\(index)")
            let id: LicenseItemID
            if shape == .createCKC {
                guard let number = try fields.integer("id") else { throw fields.error("id", "the field is missing") }
                id = .number(number)
                guard !items.contains(where: { $0.id == id }) else { throw fields.error("id", "the ID is not unique") }
            } else {
                switch fields.read("id") {
                case .integer(let number)?: id = .number(number)
                case .string(let text)?: id = .text(text)
                case nil: id = .none
                default: throw fields.error("id", "expected an integer or a string")
                }
            }
            items.append(Item(id: id, request: request(value, names)))
        }
        return items
    }

    private static func keyMessages(_ values: [JSONValue], _ names: LicenseFieldNames) throws(JSONError) -> [Item] {
        var items: [Item] = []
        for (index, value) in values.enumerated() {
            var fields = try JSONFields(value, path: "/\(index)")
            guard let keyID = try fields.string("keyID") else { throw fields.error("keyID", "the field is missing") }
            let spc = JSONValue.fields([(LicenseFieldNames().spc[0], fields.read("payload"))])
            items.append(Item(id: .text(keyID), request: request(spc, names)))
        }
        return items
    }

    private static func request(
        _ value: JSONValue,
        _ names: LicenseFieldNames
    ) -> Result<LicenseRequest, ProblemDocument> {
        Result { () throws(ProblemDocument) in try LicenseRequest(batchItem: value, names) }
    }
}
