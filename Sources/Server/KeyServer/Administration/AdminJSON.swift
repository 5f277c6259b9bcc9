package import KeyStore
import TextCoding

/// How administration writes what the stores keep.
package enum AdminJSON {
    /// Fields of an object, of which those without a value are left out.
    typealias Fields = [(name: String, value: JSONValue?)]

    /// Unix seconds.
    static func time(_ seconds: Int64?) -> JSONValue? { seconds.map { .integer(Int($0)) } }

    /// 16 hexadecimal digits: a JSON number does not hold 64 bits everywhere.
    static func number(_ number: UInt64?) -> JSONValue? {
        number.map { .string(Hexadecimal.encode($0)) }
    }

    /// An asset ID: as text where it is text, and always in hexadecimal digits.
    static func asset(_ assetID: [UInt8]) -> Fields { either("assetId", assetID) }

    /// Bytes that are text most of the time.
    static func either(_ name: String, _ bytes: [UInt8]) -> Fields {
        [
            (name, String(validating: bytes, as: UTF8.self).map { .string($0) }),
            ("\(name)Hex", .string(Hexadecimal.encode(bytes))),
        ]
    }

    /// What is rented: `title:` and the title's name, or `asset:` and the asset ID.
    package static func bytes(_ subject: RentalSubject) -> [UInt8] {
        switch subject {
        case .title(let name): Array("title:".utf8) + name.utf8
        case .asset(let assetID): Array("asset:".utf8) + assetID
        }
    }

    /// Reads what ``bytes(_:)-(RentalSubject)`` writes; nil for anything else, and for names of no or more than 200 bytes.
    package static func rentalSubject(_ bytes: [UInt8]) -> RentalSubject? {
        let name = Array(bytes.dropFirst(6))
        guard 1...200 ~= name.count else { return nil }
        switch String(decoding: bytes.prefix(6), as: UTF8.self) {
        case "title:": return String(validating: name, as: UTF8.self).map { .title($0) }
        case "asset:": return .asset(name)
        default: return nil
        }
    }

    /// The text of a place: `device:` and 32, or `session:` and 16 hexadecimal digits.
    package static func text(_ place: PlaybackPlace) -> String {
        switch place {
        case .device(let device): "device:" + Hexadecimal.encode(device.bytes)
        case .session(let session): "session:" + Hexadecimal.encode(session)
        }
    }

    /// Reads what ``text(_:)`` writes; nil for anything else.
    package static func place(_ text: String) -> PlaybackPlace? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Hexadecimal.decode(String(parts[1])) else { return nil }
        switch parts[0] {
        case "device": return DeviceHash(stored: bytes).map { .device($0) }
        case "session" where bytes.count == 8: return .session(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }
}
