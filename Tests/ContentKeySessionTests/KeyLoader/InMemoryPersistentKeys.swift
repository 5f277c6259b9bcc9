import Synchronization
import TextCoding

@testable import ContentKeySession

/// A store of keys in memory.
final class InMemoryPersistentKeys: PersistentKeyStore {
    private let keys = Mutex<[String: [UInt8]]>([:])
    var all: [String: [UInt8]] { keys.withLock { $0 } }
    func put(_ key: [UInt8], _ identifier: String) { keys.withLock { $0[identifier] = key } }
    func key(for identifier: String) async -> [UInt8]? { all[identifier] }
    func save(_ key: [UInt8], for identifier: String) async { put(key, identifier) }
}

/// Functions that inspect the requests that were sent.
enum JSONTextReader {
    static func items(_ body: [UInt8]) -> [JSONValue]? {
        JSONValue(answer: body)?["fairplay-streaming-request"]?["create-ckc"]?.items
    }

    static func isPersistable(_ body: [UInt8]) -> Bool { JSONValue(answer: body)?["persist"] == .bool(true) }
}
