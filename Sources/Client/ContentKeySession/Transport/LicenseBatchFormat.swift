import TextCoding

/// The format of several license requests in one round trip, as accepted by `POST /fps/licenses` of Keyway's server.
///
///     {"fairplay-streaming-request": {"version": 1, "create-ckc": [
///         {"id": 1, "spc": "<base64>", "asset-id": "movie", "persist": true, "preload": true}, …]}}
///     {"fairplay-streaming-response": {"create-ckc": [
///         {"id": 1, "status": 0, "ckc": "<base64>"}, {"id": 2, "status": 404, "problem": {"type": …}}, …]}}
enum LicenseBatchFormat {
    /// The result of one item.
    enum Item: Hashable {
        case ckc([UInt8])
        case refused(status: Int, problem: ServerProblem)
        /// The item contains neither a CKC nor a status.
        case unreadable
    }

    /// Writes a batch; the items are numbered from 1.
    static func encode(_ requests: [LicenseRequestFormat.Contents]) -> [UInt8] {
        let items = requests.enumerated().map { index, request in
            JSONValue.object([
                "id": .integer(index + 1),
                "spc": .string(Base64.encode(request.spc)),
                "asset-id": .string(request.assetID),
                "persist": request.isPersistable ? .bool(true) : nil,
                "preload": request.isPreload ? .bool(true) : nil,
            ])
        }
        return JSONValue.object([
            "fairplay-streaming-request": .object(["version": .integer(1), "create-ckc": .array(items)])
        ]).encoded()
    }

    /// Reads the response to a batch of `count` items and returns the items in order; nil if the response is malformed.
    ///
    /// An item that is missing, duplicated or malformed is unreadable and does not affect the others.
    static func decode(_ body: [UInt8], count: Int) -> [Item]? {
        guard let answers = JSONValue(answer: body)?["fairplay-streaming-response"]?["create-ckc"]?.items else {
            return nil
        }
        var byID: [Int: Item] = [:]
        for answer in answers {
            guard let id = answer["id"]?.wholeNumber else { continue }
            byID[id] = byID[id] == nil ? item(answer) : .unreadable
        }
        return (1...max(count, 1)).prefix(count).map { byID[$0] ?? .unreadable }
    }

    private static func item(_ answer: JSONValue) -> Item {
        switch answer["status"]?.wholeNumber {
        case 0:
            guard let text = answer["ckc"]?.text, let ckc = Base64.decode(text, .lenient), !ckc.isEmpty else {
                return .unreadable
            }
            return .ckc(ckc)
        case let status? where (300..<600).contains(status):
            return .refused(status: status, problem: ServerProblem(answer["problem"]))
        default:
            return .unreadable
        }
    }
}
