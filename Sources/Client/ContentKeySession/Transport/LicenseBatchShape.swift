import TextCoding

/// Several license requests in one round trip, as `POST /fps/licenses` of Keyway's server takes them.
///
///     {"fairplay-streaming-request": {"version": 1, "create-ckc": [
///         {"id": 1, "spc": "<base64>", "asset-id": "movie", "persist": true, "preload": true}, …]}}
///     {"fairplay-streaming-response": {"create-ckc": [
///         {"id": 1, "status": 0, "ckc": "<base64>"}, {"id": 2, "status": 404, "problem": {"type": …}}, …]}}
enum LicenseBatchShape {
    /// What came of one item.
    enum Item: Hashable {
        case ckc([UInt8])
        case refused(status: Int, problem: ServerProblem)
        /// There is neither a CKC nor a status.
        case unreadable
    }

    /// Writes a batch; items have the numbers 1, 2, and so on.
    static func write(_ questions: [LicenseShape.Question]) -> [UInt8] {
        let items = questions.enumerated().map { index, question in
            JSONValue.object([
                "id": .integer(index + 1),
                "spc": .string(Base64.encode(question.spc)),
                "asset-id": .string(question.assetID),
                "persist": question.isPersistable ? .bool(true) : nil,
                "preload": question.isPreload ? .bool(true) : nil,
            ])
        }
        return JSONValue.object([
            "fairplay-streaming-request": .object(["version": .integer(1), "create-ckc": .array(items)])
        ]).encoded()
    }

    /// Reads the answer to a batch of `count` items, in their order; nil when it is not one.
    ///
    /// An item that is missing, twice there or malformed is unreadable and spoils no other.
    static func read(_ body: [UInt8], count: Int) -> [Item]? {
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
