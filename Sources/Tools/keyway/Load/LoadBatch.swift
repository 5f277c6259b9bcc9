import Foundation
import TextCoding

/// The request and response format of `POST /fps/licenses`, for several licenses at once.
///
///     {"fairplay-streaming-request": {"version": 1, "create-ckc": [{"id": 1, "spc": "<base64>"}, …]}}
///     {"fairplay-streaming-response": {"create-ckc": [{"id": 1, "status": 0, "ckc": "<base64>"},
///         {"id": 2, "status": 404, "problem": {"type": …, "reason": …}}, …]}}
enum LoadBatch {
    /// Returns a request body; the items have the IDs 1, 2, and so on.
    static func body(_ spcs: [[UInt8]]) -> [UInt8] {
        let items = spcs.enumerated().map { index, spc in
            "{\"id\":\(index + 1),\"spc\":\"\(Base64.encode(spc))\"}"
        }
        let list = items.joined(separator: ",")
        return Array("{\"fairplay-streaming-request\":{\"version\":1,\"create-ckc\":[\(list)]}}".utf8)
    }

    /// The result for one license.
    struct Item {
        var outcome: LoadOutcome
        /// The CKC.
        var ckc: [UInt8] = []
    }

    /// Returns the results of a batch, in order. A response that is an error applies to each license.
    static func items(of response: LoadResponse, count: Int) -> [Item] {
        guard response.status == 200 else { return [Item](repeating: Item(outcome: response.outcome), count: count) }
        guard let read = try? JSONDecoder().decode(Envelope.self, from: Data(response.body)) else {
            return [Item](repeating: Item(outcome: .unusable), count: count)
        }
        var items = [Item](repeating: Item(outcome: .unusable), count: count)
        for entry in read.response.entries where (1...count).contains(entry.id) {
            items[entry.id - 1] = entry.item
        }
        return items
    }

    private struct Envelope: Decodable {
        let response: Response

        enum CodingKeys: String, CodingKey { case response = "fairplay-streaming-response" }
    }

    private struct Response: Decodable {
        let entries: [Entry]

        enum CodingKeys: String, CodingKey { case entries = "create-ckc" }
    }

    private struct Entry: Decodable {
        struct Problem: Decodable {
            let type: String?
            let reason: String?
        }

        let id: Int
        let status: Int
        let ckc: Data?
        let problem: Problem?

        var item: Item {
            guard status != 0 else {
                return ckc.map { Item(outcome: .granted, ckc: Array($0)) } ?? Item(outcome: .unusable)
            }
            let type = problem?.type.flatMap { $0.split(separator: ":").last.map(String.init) }
            return Item(outcome: LoadOutcome(status: status, problem: type, reason: problem?.reason))
        }
    }
}
