package import Hummingbird
package import KeyStore
import TextCoding

/// The request body of `POST /fps/licenses`, a batch of license requests.
///
///     {"fairplay-streaming-request": {"version": 1, "create-ckc": [
///         {"id": 1, "spc": "<base64>", "asset-id": "movie", "persist": false}, …]}}
///
/// `id` is any integer and must be unique in the batch; `asset-id`, `persist` and `preload` are optional. Unknown fields
/// are ignored. An item that has an `id` and is otherwise malformed only fails itself; any other error fails the whole
/// request. The bytes of the body decide whether it is JSON, not its Content-Type.
package struct LicenseBatchRequest: Sendable {
    /// An item of the batch.
    package struct Item: Sendable {
        /// The ID that the client chose.
        package let id: Int
        /// The license request, or the reason why it could not be parsed.
        package let request: Result<LicenseRequest, ProblemDocument>
    }

    /// The items in the order of the request.
    package let items: [Item]

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
            let text = Array(body[LicenseBodyFormat.content(of: body)])
            var outer = try JSONFields(JSONValue(parsing: text), path: "")
            guard let request = outer.read("fairplay-streaming-request") else {
                throw outer.error("fairplay-streaming-request", "the field is missing")
            }
            var fields = try JSONFields(request, path: "/fairplay-streaming-request")
            guard try fields.integer("version") == 1 else { throw fields.error("version", "expected 1") }
            let values = try fields.array("create-ckc") ?? []
            guard !values.isEmpty, values.count <= maximum else {
                throw fields.error("create-ckc", "expected 1 to \(maximum) items")
            }
            items = try Self.items(values, names)
        } catch {
            throw ProblemDocument(malformed: error)
        }
    }

    private static func items(_ values: [JSONValue], _ names: LicenseFieldNames) throws(JSONError) -> [Item] {
        var items: [Item] = []
        for (index, value) in values.enumerated() {
            var fields = try JSONFields(value, path: "/fairplay-streaming-request/create-ckc/\(index)")
            guard let id = try fields.integer("id") else { throw fields.error("id", "the field is missing") }
            guard !items.contains(where: { $0.id == id }) else { throw fields.error("id", "the ID is not unique") }
            items.append(Item(id: id, request: Self.request(value, names)))
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

/// The response body of `POST /fps/licenses`, with status 200 independent of the results of the items.
///
///     {"fairplay-streaming-response": {"create-ckc": [
///         {"id": 1, "status": 0, "ckc": "<base64>", "persistable": false, "dualExpiry": false},
///         {"id": 2, "status": 404, "problem": {"type": "urn:keyway:problem:unknown-asset", …}}, …]}}
///
/// The status of an item is 0, or the HTTP status that `POST /fps/license` would have returned.
package struct LicenseBatchResponse: Sendable {
    /// The result of an item.
    package struct Item: Sendable {
        /// The ID that the client chose.
        package let id: Int
        /// The license, or the problem.
        package let result: Result<IssuedLicense, ProblemDocument>

        /// Creates an item.
        package init(id: Int, result: Result<IssuedLicense, ProblemDocument>) {
            self.id = id
            self.result = result
        }
    }

    /// The items in the order of the request.
    package let items: [Item]

    /// Creates a response body.
    package init(items: [Item]) { self.items = items }

    /// Returns the HTTP response.
    package func response() -> Response {
        let answer = JSONValue.fields([
            ("fairplay-streaming-response", .fields([("create-ckc", .array(items.map(\.json)))]))
        ])
        return answer.response()
    }
}

extension LicenseBatchResponse.Item {
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
