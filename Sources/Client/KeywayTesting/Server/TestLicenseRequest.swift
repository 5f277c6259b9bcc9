import ContentKeySession
import TextCoding

/// A license request in one of the formats of `POST /fps/license`, or an item of `POST /fps/licenses`.
struct TestLicenseRequest {
    /// The format of the body, which the response uses too.
    enum Format {
        case octets, text, json
    }

    var format = Format.json
    let spc: [UInt8]
    var assetID: String?
    var isPersistable = false
    var isPreload = false

    /// Parses the request of `POST /fps/license`.
    init(_ request: KeyTransportRequest) throws(TestProblem) {
        switch Self.type(of: request) {
        case "application/octet-stream":
            try self.init(request.body, fields: Self.query(of: request.url), .octets)
        case "text/plain":
            try self.init(Self.base64(request.body), fields: Self.query(of: request.url), .text)
        case "application/x-www-form-urlencoded":
            let fields = try Self.form(request.body)
            try self.init(Self.base64(fields["spc"] ?? [], .spaceIsPlus), fields: fields, .text)
        case "application/json":
            guard let json = JSONValue(answer: request.body) else { throw Self.malformed("The body is not JSON.") }
            try self.init(json, assetID: "assetId")
        default:
            throw TestProblem(
                415,
                "unsupported-media-type",
                detail: "Send application/octet-stream, text/plain (base64), application/x-www-form-urlencoded or "
                    + "application/json."
            )
        }
    }

    /// Returns the type of the body. Like the key server, it recognizes an SPC, its base64 and an object whatever the
    /// Content-Type says.
    private static func type(of request: KeyTransportRequest) -> String? {
        let body = request.body
        if body.starts(with: [0, 0, 0]), body.dropFirst(3).first.map({ (1...3).contains($0) }) == true {
            return "application/octet-stream"
        }
        if ["AAAAAQ", "AAAAAg", "AAAAAw"].contains(where: { body.starts(with: $0.utf8) }) { return "text/plain" }
        let header = request.headers.first { $0.name.lowercased() == "content-type" }?.value
        let type = header.map { $0.prefix { $0 != ";" } }.map { String($0).lowercased() }
        // The messages of a scripted device are JSON too, and are sent as octets.
        return body.first == UInt8(ascii: "{") && type != "application/octet-stream" ? "application/json" : type
    }

    /// Parses a JSON object.
    init(_ json: JSONValue, assetID name: String) throws(TestProblem) {
        try self.init(Self.base64(Array((json["spc"]?.text ?? "").utf8)), .json)
        assetID = json[name]?.text
        isPersistable = json["persist"] == .bool(true)
        isPreload = json["preload"] == .bool(true)
    }

    private init(_ spc: [UInt8], fields: [String: [UInt8]], _ format: Format) throws(TestProblem) {
        try self.init(spc, format)
        assetID = fields["assetId"].map { String(decoding: $0, as: UTF8.self) }
        isPersistable = fields["persist"] == Array("true".utf8)
        isPreload = fields["preload"] == Array("true".utf8)
    }

    init(_ spc: [UInt8], _ format: Format) throws(TestProblem) {
        guard !spc.isEmpty else { throw Self.malformed("The request contains no SPC.") }
        (self.spc, self.format) = (spc, format)
    }

    /// Parses the items of a batch: the IDs, and a request or a problem for each.
    static func batch(
        _ request: KeyTransportRequest
    ) throws(TestProblem) -> [(id: Int, request: Result<TestLicenseRequest, TestProblem>)] {
        guard let outer = JSONValue(answer: request.body)?["fairplay-streaming-request"],
            outer["version"] == .integer(1), let items = outer["create-ckc"]?.items, (1...32).contains(items.count)
        else { throw malformed("Expected a batch of 1 to 32 license requests.") }
        var batch: [(id: Int, request: Result<TestLicenseRequest, TestProblem>)] = []
        for item in items {
            guard let id = item["id"]?.wholeNumber, !batch.contains(where: { $0.id == id }) else {
                throw malformed("An ID is missing or not unique.")
            }
            batch.append(
                (id, Result { () throws(TestProblem) in try TestLicenseRequest(item, assetID: "asset-id") })
            )
        }
        return batch
    }

    private static func query(of url: String) throws(TestProblem) -> [String: [UInt8]] {
        try form(Array(url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst().utf8))
    }

    private static func form(_ text: [UInt8]) throws(TestProblem) -> [String: [UInt8]] {
        guard let fields = FormEncoding.decode(text) else { throw malformed("A field is not form-encoded correctly.") }
        return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private static func base64(_ text: [UInt8], _ options: Base64.Options = []) throws(TestProblem) -> [UInt8] {
        guard let bytes = Base64.decode(text, [.lenient, options]) else {
            throw malformed("The SPC is not valid base64.")
        }
        return bytes
    }

    private static func malformed(_ detail: String) -> TestProblem {
        TestProblem(400, "malformed-request", detail: detail)
    }
}

/// A license of a ``TestKeyServer``.
struct TestLicense: Sendable, Hashable {
    var ckc: [UInt8]
    let isPersistable: Bool
    let hasDualExpiry: Bool

    /// The license as JSON.
    var fields: [(key: String, value: JSONValue?)] {
        [
            ("ckc", .string(Base64.encode(ckc))),
            ("persistable", .bool(isPersistable)),
            ("dualExpiry", .bool(hasDualExpiry)),
        ]
    }

    /// Returns the response in the format of the request.
    func response(in format: TestLicenseRequest.Format) -> KeyTransportResponse {
        var headers = [KeyTransportHeader("Cache-Control", "no-store")]
        if format != .json {
            headers.append(.init("Keyway-Persistable", "\(isPersistable)"))
            headers.append(.init("Keyway-Dual-Expiry", "\(hasDualExpiry)"))
        }
        let (type, body): (String, [UInt8]) =
            switch format {
            case .octets: ("application/octet-stream", ckc)
            case .text: ("text/plain; charset=us-ascii", Array(Base64.encode(ckc).utf8))
            case .json: ("application/json", JSONValue.object(JSONObject(fields)).encoded())
            }
        headers.append(.init("Content-Type", type))
        return KeyTransportResponse(status: 200, headers: headers, body: body)
    }
}
