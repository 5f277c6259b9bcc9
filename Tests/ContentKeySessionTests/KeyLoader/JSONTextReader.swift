import TextCoding

@testable import ContentKeySession

/// Functions that inspect the requests that were sent.
enum JSONTextReader {
    static func items(_ body: [UInt8]) -> [JSONValue]? {
        JSONValue(answer: body)?["fairplay-streaming-request"]?["create-ckc"]?.items
    }

    static func isPersistable(_ body: [UInt8]) -> Bool { JSONValue(answer: body)?["persist"] == .bool(true) }
}
