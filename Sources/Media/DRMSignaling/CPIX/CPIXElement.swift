import ByteCoding
import Foundation
import TextCoding
import XMLDocuments

/// Parsing of CPIX elements. Errors contain the element name and its line, and no text of the document.
extension XMLTree.Element {
    /// Returns an error about the element, whose name is one that CPIX defines.
    func cpixError(_ reason: String) -> SignalingError {
        SignalingError(.invalidCPIX, "CPIX, line \(line), \(name)", reason)
    }

    /// Returns the children with a name in the CPIX namespace.
    func cpixChildren(_ name: String) -> [XMLTree.Element] {
        children.filter { $0.name == name && $0.namespace == CPIXDocument.namespace }
    }

    /// Returns the first child with a name in a namespace, by default that of CPIX.
    func cpixChild(_ name: String, in namespace: String = CPIXDocument.namespace) -> XMLTree.Element? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// Returns an attribute as text of at most 1,000 bytes; nil if it is missing.
    func cpixText(_ attribute: String) throws(SignalingError) -> String? {
        guard let text = attributes[attribute] else { return nil }
        guard text.utf8.count <= CPIXDocument.Limit.attribute else {
            throw cpixError("\(attribute) is longer than \(CPIXDocument.Limit.attribute) bytes")
        }
        return text
    }

    /// Returns an attribute as a key ID; nil if it is missing.
    func cpixKeyID(orNilIn attribute: String) throws(SignalingError) -> ContentKeyID? {
        guard let text = attributes[attribute] else { return nil }
        return try ContentKeyID(parsing: text, field: "CPIX, line \(line), \(name), \(attribute)")
    }

    /// Returns the key ID in the attribute `kid`.
    func cpixKeyID() throws(SignalingError) -> ContentKeyID {
        guard let keyID = try cpixKeyID(orNilIn: "kid") else { throw cpixError("kid is missing") }
        return keyID
    }

    /// Returns an attribute as a non-negative integer; nil if it is missing.
    func cpixNumber(_ attribute: String) throws(SignalingError) -> Int? {
        guard let text = attributes[attribute] else { return nil }
        guard let number = Int(text), number >= 0 else { throw cpixError("\(attribute) is not a non-negative integer") }
        return number
    }

    /// Returns an attribute that is `true`, `false`, `1` or `0`; nil if it is missing.
    func cpixBoolean(_ attribute: String) throws(SignalingError) -> Bool? {
        switch attributes[attribute] {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        default: throw cpixError("\(attribute) must be true or false")
        }
    }

    /// Returns an attribute that is a date and time with a time zone, in Unix seconds; nil if it is missing.
    func cpixTime(_ attribute: String) throws(SignalingError) -> Int64? {
        guard let text = attributes[attribute] else { return nil }
        guard let time = UnixTime.seconds(iso8601: text) else {
            throw cpixError("\(attribute) is not a date and time with a time zone")
        }
        return time
    }

    /// Returns an attribute that is a duration without years and months, in seconds; nil if it is missing.
    func cpixDuration(_ attribute: String) throws(SignalingError) -> Double? {
        guard let text = attributes[attribute] else { return nil }
        guard let duration = ISO8601Duration(text), !duration.hasWeeks else {
            throw cpixError("\(attribute) is not a duration such as PT6S")
        }
        return duration.inSeconds
    }

    /// Returns an attribute that is 16 bytes in Base64; nil if it is missing.
    func cpixBlock(_ attribute: String) throws(SignalingError) -> [UInt8]? {
        guard let text = attributes[attribute] else { return nil }
        guard let bytes = Self.base64(text), bytes.count == 16 else {
            throw cpixError("\(attribute) is not base64 of 16 bytes")
        }
        return bytes
    }

    /// Returns the Base64 data in the element; empty for an empty element.
    func cpixData() throws(SignalingError) -> [UInt8] {
        guard let bytes = Self.base64(text) else { throw cpixError("the content is not base64") }
        return bytes
    }

    /// Returns the UTF-8 text in the element, which is encoded in Base64.
    func cpixEncodedText() throws(SignalingError) -> String {
        guard let text = String(validating: try cpixData(), as: UTF8.self) else {
            throw cpixError("the content is not base64 of UTF-8 text")
        }
        return text
    }

    /// Decodes Base64 in XML, which may contain white space anywhere.
    private static func base64(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= CPIXDocument.Limit.data * 2 else { return nil }
        guard let bytes = Base64.decode(text, .whitespace), bytes.count <= CPIXDocument.Limit.data else { return nil }
        return bytes
    }
}
