import FPSCrypto
import Foundation
import XMLDocuments

extension CPIXDocument {
    /// Reads a document. What is not of this part of the format is passed over; encrypted keys are refused, since to
    /// pass over a key would be to lose it.
    ///
    /// - Throws: `invalid-cpix`, with the line; `invalid-key`; `duplicate-key-id`. No text of the document is repeated.
    public init(xml bytes: [UInt8]) throws(SignallingError) {
        let root = try Self.root(of: bytes)
        guard root.name == "CPIX", root.namespace == Self.namespace else {
            throw Self.error("line \(root.line)", "the document is not CPIX of the namespace \(Self.namespace)")
        }
        contentID = root.attributes["contentId"]
        var known: Set<ContentKeyID> = []
        for element in Self.entries(root, "ContentKeyList", "ContentKey") {
            let key = try Self.contentKey(element)
            guard known.insert(key.keyID).inserted else {
                throw SignallingError(
                    .duplicateKeyID,
                    "CPIX, line \(element.line)",
                    "the document has the key \(key.keyID) twice"
                )
            }
            contentKeys.append(key)
        }
        for element in Self.entries(root, "DRMSystemList", "DRMSystem") { systems.append(try Self.system(element)) }
        for element in Self.entries(root, "ContentKeyPeriodList", "ContentKeyPeriod") {
            periods.append(try Self.period(element))
        }
        for element in Self.entries(root, "ContentKeyUsageRuleList", "ContentKeyUsageRule") {
            usageRules.append(try Self.usageRule(element))
        }
    }

    private static func root(of bytes: [UInt8]) throws(SignallingError) -> XMLTree.Element {
        do throws(XMLFailure) {
            return try XMLTree(bytes).root
        } catch {
            throw Self.error(error.place, error.reason)
        }
    }

    private static func error(_ place: String, _ reason: String) -> SignallingError {
        SignallingError(.invalidCPIX, "CPIX, \(place)", reason)
    }

    private static func entries(_ root: XMLTree.Element, _ list: String, _ name: String) -> [XMLTree.Element] {
        root.children(list).filter { $0.namespace == namespace }.flatMap { $0.children(name) }
    }

    private static func contentKey(_ element: XMLTree.Element) throws(SignallingError) -> ContentKey {
        var contentKey = ContentKey(keyID: try keyID(element), key: nil)
        contentKey.line = element.line
        contentKey.scheme = element.attributes["commonEncryptionScheme"]
        if let text = element.attributes["explicitIV"] {
            contentKey.explicitIV = try sixteenBytes(text, "explicitIV", element)
        }
        guard let secret = element.child("Data")?.child("Secret") else { return contentKey }
        if secret.child("EncryptedValue") != nil {
            throw Self.error("line \(element.line)", "the key is encrypted; only keys in the clear are read")
        }
        guard let value = secret.child("PlainValue"), value.namespace == keyNamespace else {
            throw Self.error("line \(element.line)", "Secret has no PlainValue of the namespace \(keyNamespace)")
        }
        contentKey.key = SecretBytes(copying: try sixteenBytes(value.text, "PlainValue", value))
        return contentKey
    }

    private static func system(_ element: XMLTree.Element) throws(SignallingError) -> DRMSystem {
        guard let systemID = element.attributes["systemId"].flatMap({ SystemID($0) }) else {
            throw Self.error("line \(element.line)", "systemId is missing, or is no UUID")
        }
        var uri: String?
        if let encoded = element.child("URIExtXKey")?.text {
            guard let data = base64(encoded), let text = String(validating: data, as: UTF8.self) else {
                throw Self.error("line \(element.line)", "URIExtXKey is not base64 of a text")
            }
            uri = text
        }
        return DRMSystem(keyID: try keyID(element), systemID: systemID, keyURI: uri)
    }

    private static func period(_ element: XMLTree.Element) throws(SignallingError) -> KeyPeriod {
        guard let id = element.attributes["id"], !id.isEmpty else {
            throw Self.error("line \(element.line)", "ContentKeyPeriod has no id")
        }
        var period = KeyPeriod(id: id)
        if let text = element.attributes["index"] {
            guard let index = Int(text), index >= 0 else {
                throw Self.error("line \(element.line)", "index is no number")
            }
            period.index = index
        }
        period.start = try time("start", element)
        period.end = try time("end", element)
        return period
    }

    private static func usageRule(_ element: XMLTree.Element) throws(SignallingError) -> UsageRule {
        UsageRule(
            keyID: try keyID(element),
            intendedTrackType: element.attributes["intendedTrackType"],
            periodIDs: element.children("KeyPeriodFilter").compactMap { $0.attributes["periodId"] },
            hasVideoFilter: element.child("VideoFilter") != nil,
            hasAudioFilter: element.child("AudioFilter") != nil
        )
    }

    private static func keyID(_ element: XMLTree.Element) throws(SignallingError) -> ContentKeyID {
        guard let text = element.attributes["kid"] else {
            throw Self.error("line \(element.line)", "\(element.name) has no kid")
        }
        return try ContentKeyID(parsing: text, field: "CPIX, line \(element.line), kid")
    }

    private static func time(_ name: String, _ element: XMLTree.Element) throws(SignallingError) -> Int64? {
        guard let text = element.attributes[name] else { return nil }
        guard let time = UnixTime.seconds(iso8601: text) else {
            throw Self.error("line \(element.line)", "\(name) is no date and time with a time zone")
        }
        return time
    }

    private static func sixteenBytes(
        _ text: String,
        _ name: String,
        _ element: XMLTree.Element
    ) throws(SignallingError) -> [UInt8] {
        guard let bytes = base64(text), bytes.count == 16 else {
            throw Self.error("line \(element.line)", "\(name) is not base64 of 16 bytes")
        }
        return bytes
    }

    /// Base64 as XML has it: white space may stand anywhere.
    private static func base64(_ text: String) -> [UInt8]? {
        Data(base64Encoded: String(text.filter { !$0.isWhitespace })).map { Array($0) }
    }
}
