package import Hummingbird
package import KeyStore
import TextCoding

/// The response body of a batch, in the ``LicenseBatchShape`` of the request, with status 200.
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
        package let id: LicenseItemID
        /// The license, or the problem.
        package let result: Result<IssuedLicense, ProblemDocument>

        /// Creates an item.
        package init(id: LicenseItemID, result: Result<IssuedLicense, ProblemDocument>) {
            self.id = id
            self.result = result
        }
    }

    /// The items in the order of the request.
    package let items: [Item]
    /// The shape of the request.
    package let shape: LicenseBatchShape

    /// Creates a response body.
    package init(items: [Item], shape: LicenseBatchShape = .createCKC) {
        self.items = items
        self.shape = shape
    }

    /// The problem that is the response to the whole batch; nil if the response has a status for each item.
    ///
    /// Clients of WebKit's shapes look at the HTTP status only, so that a batch without any license is a refusal. In
    /// the first shape, that is so if the request is not authorized, because then it is true of each item.
    var problem: ProblemDocument? {
        var first: ProblemDocument?
        for item in items {
            guard case .failure(let problem) = item.result else { return nil }
            if shape == .createCKC, problem.type != .unauthorized, problem.type != .forbidden { return nil }
            first = first ?? problem
        }
        return first
    }

    /// Returns the HTTP response.
    package func response() -> Response {
        let values = JSONValue.array(items.map { $0.json(in: shape) })
        let list: (name: String, value: JSONValue?)
        switch shape {
        case .keyMessages: return values.response()
        case .createCKC: list = ("create-ckc", values)
        case .streamingKeys: list = ("streaming-keys", values)
        }
        return JSONValue.fields([("fairplay-streaming-response", .fields([list]))]).response()
    }
}

extension LicenseBatchResponse.Item {
    fileprivate func json(in shape: LicenseBatchShape) -> JSONValue {
        switch (result, shape) {
        case (.success(let license), .keyMessages):
            .fields([("keyID", id.json), ("payload", .string(Base64.encode(license.ckc)))])
        case (.failure(let problem), .keyMessages):
            .fields([("keyID", id.json), ("error", .integer(problem.type.status.code))])
        case (.success(let license), _):
            .fields([("id", id.json), ("status", .integer(0))] + license.fields)
        case (.failure(let problem), _):
            .fields([
                ("id", id.json), ("status", .integer(problem.type.status.code)),
                ("problem", problem.json(instance: nil)),
            ])
        }
    }
}
