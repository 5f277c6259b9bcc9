package import KeyStore
package import TextCoding

/// The JSON representations of stored values in the administration API.
package enum AdminJSON {
    /// The fields of an object. Fields without a value are omitted.
    typealias Fields = [(name: String, value: JSONValue?)]

    /// Returns a whole list.
    package static func list(_ items: [JSONValue]) -> JSONValue { .fields([("items", .array(items))]) }

    /// Returns a time in Unix seconds.
    static func time(_ seconds: Int64?) -> JSONValue? { seconds.map { .integer(Int($0)) } }

    /// Returns 16 hexadecimal digits, because many JSON parsers do not support 64-bit integers.
    static func number(_ number: UInt64?) -> JSONValue? {
        number.map { .string(Hexadecimal.encode($0)) }
    }

    /// Returns an asset ID in hexadecimal, and also as text if it is UTF-8.
    static func asset(_ assetID: [UInt8]) -> Fields { textAndHex("assetId", assetID) }

    /// Returns bytes in hexadecimal, and also as text if they are UTF-8.
    static func textAndHex(_ name: String, _ bytes: [UInt8]) -> Fields {
        [
            (name, String(validating: bytes, as: UTF8.self).map { .string($0) }),
            ("\(name)Hex", .string(Hexadecimal.encode(bytes))),
        ]
    }

    /// Returns the subject of a rental: `title:` and the title's name, or `asset:` and the asset ID.
    package static func bytes(_ subject: RentalSubject) -> [UInt8] {
        switch subject {
        case .title(let name): Array("title:".utf8) + name.utf8
        case .asset(let assetID): Array("asset:".utf8) + assetID
        }
    }

    /// Parses the format of ``bytes(_:)-(RentalSubject)``; returns nil for other text, and for names that are not 1 to
    /// 200 bytes.
    package static func rentalSubject(_ bytes: [UInt8]) -> RentalSubject? {
        let name = Array(bytes.dropFirst(6))
        guard 1...200 ~= name.count else { return nil }
        switch String(decoding: bytes.prefix(6), as: UTF8.self) {
        case "title:": return String(validating: name, as: UTF8.self).map { .title($0) }
        case "asset:": return .asset(name)
        default: return nil
        }
    }

    /// Returns the text of a client: `device:` and 32 hexadecimal digits, or `session:` and 16.
    package static func text(_ client: PlaybackClient) -> String {
        switch client {
        case .device(let device): "device:" + Hexadecimal.encode(device.bytes)
        case .session(let session): "session:" + Hexadecimal.encode(session)
        }
    }

    /// Parses the format of ``text(_:)``; returns nil for other text.
    package static func client(_ text: String) -> PlaybackClient? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Hexadecimal.decode(String(parts[1])) else { return nil }
        switch parts[0] {
        case "device": return DeviceHash(stored: bytes).map { .device($0) }
        case "session" where bytes.count == 8: return .session(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }
}
