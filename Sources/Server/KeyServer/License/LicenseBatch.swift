package import Hummingbird
package import KeyStore
import TextCoding

/// What `POST /fps/licenses` asks for: many licenses at once.
///
///     {"fairplay-streaming-request": {"version": 1, "create-ckc": [
///         {"id": 1, "spc": "<base64>", "asset-id": "movie", "persist": false}, …]}}
///
/// `id` is any whole number, once each; `asset-id`, `persist` and `preload` may be missing. An item that can be named and is
/// otherwise malformed spoils itself alone; anything wrong around the items spoils the request.
package struct LicenseBatchRequest: Sendable {
    /// One of the licenses.
    package struct Item: Sendable {
        /// The client's number for it.
        package let id: Int
        /// What is asked for, or why it could not be read.
        package let content: Result<Content, ProblemDocument>
    }

    /// What one item asks for.
    package struct Content: Sendable, Equatable {
        /// The SPC; at least one byte.
        package let spc: [UInt8]
        /// The asset ID that the client believes to ask for. The SPC's governs.
        package let assetID: [UInt8]?
        /// Whether the client would like to keep the key. The policy decides.
        package let wantsPersistableKey: Bool
        /// Whether the key is loaded before playback: its lease is then a short reservation.
        package let isPreload: Bool
    }

    /// The items in the order of the request.
    package let items: [Item]

    /// Reads a batch.
    ///
    /// - Parameter maximum: how many items one request may have; one it has at least.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType`` or
    ///   ``ProblemType/malformedRequest``.
    package init(body: [UInt8], contentType: String?, maximum: Int = 32) throws(ProblemDocument) {
        guard try LicenseShape(contentType: contentType) == .json else {
            throw ProblemDocument(.unsupportedMediaType, detail: "Send application/json.")
        }
        do throws(JSONError) {
            var outer = try JSONFields(JSONValue(parsing: body), path: "")
            guard let request = outer.take("fairplay-streaming-request") else {
                throw outer.error("fairplay-streaming-request", "the field is missing")
            }
            try outer.finish()
            var fields = try JSONFields(request, path: "/fairplay-streaming-request")
            guard try fields.integer("version") == 1 else { throw fields.error("version", "1 was expected") }
            let values = try fields.array("create-ckc") ?? []
            guard !values.isEmpty, values.count <= maximum else {
                throw fields.error("create-ckc", "1 to \(maximum) items were expected")
            }
            try fields.finish()
            items = try Self.items(values)
        } catch {
            throw ProblemDocument(malformed: error)
        }
    }

    private static func items(_ values: [JSONValue]) throws(JSONError) -> [Item] {
        var items: [Item] = []
        for (index, value) in values.enumerated() {
            var fields = try JSONFields(value, path: "/fairplay-streaming-request/create-ckc/\(index)")
            guard let id = try fields.integer("id") else { throw fields.error("id", "the field is missing") }
            guard !items.contains(where: { $0.id == id }) else { throw fields.error("id", "the number appears twice") }
            do throws(JSONError) {
                items.append(Item(id: id, content: .success(try Content(&fields))))
            } catch {
                let detail = "The item is not as expected: \(error.description)."
                items.append(Item(id: id, content: .failure(ProblemDocument(.malformedRequest, detail: detail))))
            }
        }
        return items
    }
}

extension LicenseBatchRequest.Content {
    fileprivate init(_ fields: inout JSONFields) throws(JSONError) {
        let text = try fields.string("spc") ?? ""
        assetID = try fields.string("asset-id").map { Array($0.utf8) }
        wantsPersistableKey = try fields.bool("persist") ?? false
        isPreload = try fields.bool("preload") ?? false
        try fields.finish()
        guard let spc = Base64.decode(text, .lenient) else { throw fields.error("spc", "this is not base64") }
        guard !spc.isEmpty else { throw fields.error("spc", "there is no SPC") }
        self.spc = spc
    }
}

/// What `POST /fps/licenses` answers, with status 200 whatever came of the items.
///
///     {"fairplay-streaming-response": {"create-ckc": [
///         {"id": 1, "status": 0, "ckc": "<base64>", "persistable": false, "dualExpiry": false},
///         {"id": 2, "status": 404, "problem": {"type": "urn:keyway:problem:unknown-asset", …}}, …]}}
///
/// An item's status is 0, or the HTTP status that `POST /fps/license` would have answered with.
package struct LicenseBatchAnswer: Sendable {
    /// What came of one item.
    package struct Item: Sendable {
        /// The client's number for it.
        package let id: Int
        /// The CKC, or why there is none.
        package let result: Result<LicenseAnswer, ProblemDocument>

        /// Makes an item.
        package init(id: Int, result: Result<LicenseAnswer, ProblemDocument>) {
            self.id = id
            self.result = result
        }
    }

    /// The items in the order of the request.
    package let items: [Item]

    /// Makes an answer.
    package init(items: [Item]) { self.items = items }

    /// The answer.
    package func response() -> Response {
        let answer = JSONValue.fields([
            ("fairplay-streaming-response", .fields([("create-ckc", .array(items.map(\.json)))]))
        ])
        return answer.response()
    }
}

extension LicenseBatchAnswer.Item {
    fileprivate var json: JSONValue {
        switch result {
        case .success(let answer):
            .fields([("id", .integer(id)), ("status", .integer(0))] + answer.fields)
        case .failure(let problem):
            .fields([
                ("id", .integer(id)), ("status", .integer(problem.type.status.code)),
                ("problem", problem.json(instance: nil)),
            ])
        }
    }
}
