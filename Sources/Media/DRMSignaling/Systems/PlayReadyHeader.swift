import Foundation
import TextCoding
import XMLDocuments

/// The PlayReady header: an XML document with the key IDs and optionally the URL of the license server (Microsoft,
/// "PlayReady Header Specification", 3).
///
///     WRMHEADER    version = 4.0.0.0 to 4.3.0.0
///       DATA
///         PROTECTINFO
///           KIDS   KID (each)   ALGID = AESCTR, AESCBC; VALUE   from 4.2 on
///           KID                 ALGID = AESCTR; VALUE           4.1, one key
///         KID                   text: the key ID                4.0, one key
///         LA_URL                text: the license server
///
/// Key IDs are Base64-encoded GUIDs: the first 4, the next 2 and the next 2 bytes are in reverse order.
///
/// All versions are parsed; headers are written in version 4.3, the first that supports AESCBC (cbcs). Other elements
/// are ignored.
public struct PlayReadyHeader: Hashable, Sendable {
    /// The AES mode of a key.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// Counter mode, for `cenc`.
        case counter = "AESCTR"
        /// CBC mode, for `cbcs`.
        case chaining = "AESCBC"
    }

    /// A key.
    public struct Key: Hashable, Sendable {
        /// The key ID.
        public var keyID: ContentKeyID
        /// The AES mode; nil if not specified.
        public var algorithm: Algorithm?

        /// Creates a key.
        public init(keyID: ContentKeyID, algorithm: Algorithm?) {
            self.keyID = keyID
            self.algorithm = algorithm
        }
    }

    /// The keys.
    public var keys: [Key]
    /// The URL of the license server; nil if the app provides it.
    public var licenseURL: String?

    /// Creates a header.
    public init(keys: [Key], licenseURL: String? = nil) {
        self.keys = keys
        self.licenseURL = licenseURL
    }

    /// Creates a header for keys with the same scheme.
    public init(keyIDs: [ContentKeyID], scheme: CommonEncryptionScheme, licenseURL: String? = nil) {
        let algorithm: Algorithm = scheme.usesCounterMode ? .counter : .chaining
        self.init(keys: keyIDs.map { Key(keyID: $0, algorithm: algorithm) }, licenseURL: licenseURL)
    }

    static let namespace = "http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader"

    /// Parses a document.
    ///
    /// - Throws: `invalid-playready-header`, with the line if it is known. Errors contain no text of the document.
    public init(xml text: String) throws(SignalingError) {
        let root: XMLTree.Element
        do throws(XMLDocumentError) {
            // A byte order mark is not part of the document.
            root = try XMLTree(Array(text.utf8.drop { [0xEF, 0xBB, 0xBF].contains($0) })).root
        } catch {
            throw Self.error("\(error)")
        }
        guard root.name == "WRMHEADER", root.namespace == Self.namespace,
            let version = root.attributes["version"], version.hasPrefix("4."), let data = root.child("DATA")
        else {
            throw Self.error("line \(root.line): expected WRMHEADER of version 4 with a DATA element")
        }
        let protection = data.child("PROTECTINFO")
        let listed = (protection?.child("KIDS")?.children("KID") ?? []) + (protection?.children("KID") ?? [])
        keys = []
        for element in listed {
            let keyID = try Self.keyID(element.attributes["VALUE"] ?? "", element)
            keys.append(Key(keyID: keyID, algorithm: element.attributes["ALGID"].flatMap(Algorithm.init(rawValue:))))
        }
        for element in data.children("KID") {
            let algorithm = protection?.child("ALGID")?.text.filter { !$0.isWhitespace }
            let keyID = try Self.keyID(element.text, element)
            keys.append(Key(keyID: keyID, algorithm: algorithm.flatMap(Algorithm.init(rawValue:))))
        }
        licenseURL = data.child("LA_URL").map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The document in version 4.3, on one line and without an XML declaration, for a ``PlayReadyObject``.
    public var xml: String {
        var text = "<WRMHEADER xmlns=\"\(Self.namespace)\" version=\"4.3.0.0\"><DATA><PROTECTINFO><KIDS>"
        for key in keys {
            let algorithm = key.algorithm.map { " ALGID=\"\($0.rawValue)\"" } ?? ""
            text += "<KID\(algorithm) VALUE=\"\(Base64.encode(key.keyID.guid))\"></KID>"
        }
        text += "</KIDS></PROTECTINFO>"
        if let licenseURL { text += "<LA_URL>\(XMLText.escaped(licenseURL))</LA_URL>" }
        return text + "</DATA></WRMHEADER>"
    }

    static func error(_ reason: String) -> SignalingError {
        SignalingError(.invalidPlayReadyHeader, "PlayReady header", reason)
    }

    private static func keyID(_ text: String, _ element: XMLTree.Element) throws(SignalingError) -> ContentKeyID {
        guard let bytes = Base64.decode(text, .whitespace), let keyID = ContentKeyID(guid: bytes)
        else { throw error("line \(element.line): KID is not Base64 of 16 bytes") }
        return keyID
    }
}

extension ContentKeyID {
    /// The 16 bytes in the order of Microsoft's GUIDs: the first three fields of the UUID are reversed.
    var guid: [UInt8] { Self.swapped(bytes) }

    /// Creates an ID from the 16 bytes of a GUID; nil for another size.
    init?(guid: [UInt8]) {
        guard guid.count == 16 else { return nil }
        self.init(Self.swapped(guid))
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8..<16]
    }
}
