import ByteCoding
import Foundation
import TextCoding
import XMLDocuments

/// How elements of CPIX are read. Errors name the element and its line, and repeat no text of the document.
extension XMLTree.Element {
    /// Something is wrong with the element, whose name is one of the format's.
    func cpixError(_ reason: String) -> SignalingError {
        SignalingError(.invalidCPIX, "CPIX, line \(line), \(name)", reason)
    }

    /// The children of that name in the namespace of CPIX.
    func cpixChildren(_ name: String) -> [XMLTree.Element] {
        children.filter { $0.name == name && $0.namespace == CPIXDocument.namespace }
    }

    /// The first child of that name in a namespace, that of CPIX unless told otherwise.
    func cpixChild(_ name: String, in namespace: String = CPIXDocument.namespace) -> XMLTree.Element? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// An attribute as text of at most 1,000 bytes, or nil.
    func cpixText(_ attribute: String) throws(SignalingError) -> String? {
        guard let text = attributes[attribute] else { return nil }
        guard text.utf8.count <= CPIXDocument.Limit.attribute else {
            throw cpixError("\(attribute) has more than \(CPIXDocument.Limit.attribute) bytes")
        }
        return text
    }

    /// An attribute that is a key ID, `kid` unless told otherwise; nil when there is none.
    func cpixKeyID(orNilIn attribute: String) throws(SignalingError) -> ContentKeyID? {
        guard let text = attributes[attribute] else { return nil }
        return try ContentKeyID(parsing: text, field: "CPIX, line \(line), \(name), \(attribute)")
    }

    /// The attribute `kid`.
    func cpixKeyID() throws(SignalingError) -> ContentKeyID {
        guard let keyID = try cpixKeyID(orNilIn: "kid") else { throw cpixError("it has no kid") }
        return keyID
    }

    /// An attribute that is a whole number from 0 on, or nil.
    func cpixNumber(_ attribute: String) throws(SignalingError) -> Int? {
        guard let text = attributes[attribute] else { return nil }
        guard let number = Int(text), number >= 0 else { throw cpixError("\(attribute) is no number") }
        return number
    }

    /// An attribute that is `true`, `false`, `1` or `0`, or nil.
    func cpixBoolean(_ attribute: String) throws(SignalingError) -> Bool? {
        switch attributes[attribute] {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        default: throw cpixError("\(attribute) is neither true nor false")
        }
    }

    /// An attribute that is a date and a time with a time zone, in Unix seconds, or nil.
    func cpixTime(_ attribute: String) throws(SignalingError) -> Int64? {
        guard let text = attributes[attribute] else { return nil }
        guard let time = UnixTime.seconds(iso8601: text) else {
            throw cpixError("\(attribute) is no date and time with a time zone")
        }
        return time
    }

    /// An attribute that is 16 bytes in Base64, or nil.
    func cpixBlock(_ attribute: String) throws(SignalingError) -> [UInt8]? {
        guard let text = attributes[attribute] else { return nil }
        guard let bytes = Self.base64(text), bytes.count == 16 else {
            throw cpixError("\(attribute) is not base64 of 16 bytes")
        }
        return bytes
    }

    /// What stands in the element in Base64: nothing in an empty one.
    func cpixData() throws(SignalingError) -> [UInt8] {
        guard let bytes = Self.base64(text) else { throw cpixError("it is not base64") }
        return bytes
    }

    /// What stands in the element in Base64 of UTF-8.
    func cpixEncodedText() throws(SignalingError) -> String {
        guard let text = String(validating: try cpixData(), as: UTF8.self) else {
            throw cpixError("it is not base64 of a text")
        }
        return text
    }

    /// Base64 as XML has it: white space may stand anywhere.
    private static func base64(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= CPIXDocument.Limit.data * 2 else { return nil }
        guard let bytes = Base64.decode(text, .whiteSpace), bytes.count <= CPIXDocument.Limit.data else { return nil }
        return bytes
    }
}
