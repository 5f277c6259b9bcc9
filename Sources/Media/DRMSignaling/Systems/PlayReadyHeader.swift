import Foundation
import TextCoding
import XMLDocuments

/// The PlayReady header: an XML document with the keys and perhaps where licenses are had (Microsoft, "PlayReady Header
/// Specification", 3).
///
///     WRMHEADER    version = 4.0.0.0 to 4.3.0.0
///       DATA
///         PROTECTINFO
///           KIDS   KID (each)   ALGID = AESCTR, AESCBC; VALUE   from 4.2 on
///           KID                 ALGID = AESCTR; VALUE           4.1, one key
///         KID                   text: the key ID                4.0, one key
///         LA_URL                text: the license server
///
/// Key IDs are Base64 of a GUID: the first 4, the next 2 and the next 2 bytes stand in reverse.
///
/// All versions are read; what is written is 4.3, the first that knows AESCBC, which is cbcs. Other elements are passed
/// over.
public struct PlayReadyHeader: Hashable, Sendable {
    /// In which mode of AES a key is used.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// Counter mode: `cenc`.
        case counter = "AESCTR"
        /// CBC: `cbcs`.
        case chaining = "AESCBC"
    }

    /// A key.
    public struct Key: Hashable, Sendable {
        /// Which key it is.
        public var keyID: ContentKeyID
        /// The mode; nil: not said.
        public var algorithm: Algorithm?

        /// Describes a key.
        public init(keyID: ContentKeyID, algorithm: Algorithm?) {
            self.keyID = keyID
            self.algorithm = algorithm
        }
    }

    /// The keys.
    public var keys: [Key]
    /// Where licenses are had; nil: the app knows.
    public var licenseURL: String?

    /// Makes a header.
    public init(keys: [Key], licenseURL: String? = nil) {
        self.keys = keys
        self.licenseURL = licenseURL
    }

    /// Makes a header for keys of a scheme.
    public init(keyIDs: [ContentKeyID], scheme: CommonEncryptionScheme, licenseURL: String? = nil) {
        let algorithm: Algorithm = scheme.countsBlocks ? .counter : .chaining
        self.init(keys: keyIDs.map { Key(keyID: $0, algorithm: algorithm) }, licenseURL: licenseURL)
    }

    static let namespace = "http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader"

    /// Reads a document.
    ///
    /// - Throws: `invalid-playready-header`, with the line where there is one. No text of the document is repeated.
    public init(xml text: String) throws(SignalingError) {
        let root: XMLTree.Element
        do throws(XMLFailure) {
            // A byte order mark is no part of the document.
            root = try XMLTree(Array(text.utf8.drop { [0xEF, 0xBB, 0xBF].contains($0) })).root
        } catch {
            throw Self.error("\(error)")
        }
        guard root.name == "WRMHEADER", root.namespace == Self.namespace,
            let version = root.attributes["version"], version.hasPrefix("4."), let data = root.child("DATA")
        else {
            throw Self.error("line \(root.line): WRMHEADER of a version 4 with DATA in it expected")
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

    /// The document, of version 4.3, on one line and without declaration: it goes into a ``PlayReadyObject``.
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
        guard let bytes = Base64.decode(text, .whiteSpace), let keyID = ContentKeyID(guid: bytes)
        else { throw error("line \(element.line): KID is not Base64 of 16 bytes") }
        return keyID
    }
}

extension ContentKeyID {
    /// The 16 bytes as Microsoft's GUIDs are stored: the first three fields of the UUID in reverse.
    var guid: [UInt8] { Self.swapped(bytes) }

    /// Makes an ID of the 16 bytes of a GUID; nil when there are more or fewer.
    init?(guid: [UInt8]) {
        guard guid.count == 16 else { return nil }
        self.init(Self.swapped(guid))
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8..<16]
    }
}
