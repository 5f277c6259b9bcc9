import XMLDocuments

/// `ContentProtection`: that media is encrypted, by which scheme and with which key; or what one DRM system needs
/// (ISO/IEC 23009-1, 5.8.4.1; ISO/IEC 23001-7, 11; DASH-IF IOP, 7).
///
///     schemeIdUri        urn:mpeg:dash:mp4protection:2011, or urn:uuid: and the system's UUID
///     value              of mp4protection: cenc, cens, cbc1, cbcs; of a system: words for people
///     cenc:default_KID   the key ID as a UUID
///     cenc:pssh          a whole pssh box in Base64     ┐ elements, of a system
///     mspr:pro           a PlayReady Object in Base64   ┘
public struct ContentProtection: Hashable, Sendable {
    /// Of MP4 itself: the scheme and the key ID.
    public static let mp4Scheme = "urn:mpeg:dash:mp4protection:2011"

    /// What it is about.
    public var scheme: String
    /// The scheme's value.
    public var value: String?
    /// The key ID as a UUID; nil: not said.
    public var defaultKeyID: String?
    /// The `pssh` box in Base64; nil: there is none.
    public var pssh: String?
    /// The PlayReady Object in Base64; nil: there is none.
    public var playReadyObject: String?

    /// Whether it is the one of MP4, and none of a system.
    public var isMP4Protection: Bool { scheme.lowercased() == Self.mp4Scheme }

    /// The system's UUID in lower case; nil when it is none of a system.
    public var systemID: String? {
        let text = scheme.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : nil
    }

    /// That media is encrypted.
    ///
    /// - Parameters:
    ///   - scheme: Four characters, such as `cbcs`.
    ///   - keyID: The key ID as a UUID.
    public init(scheme: String, keyID: String) {
        self.scheme = Self.mp4Scheme
        value = scheme
        defaultKeyID = keyID
    }

    /// What a system needs.
    ///
    /// - Parameters:
    ///   - systemID: The system's UUID.
    ///   - name: Words for people.
    public init(systemID: String, name: String?, pssh: String? = nil, playReadyObject: String? = nil) {
        scheme = "urn:uuid:" + systemID
        value = name
        self.pssh = pssh
        self.playReadyObject = playReadyObject
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        scheme = try element.required("schemeIdUri")
        value = element.attributes["value"]
        defaultKeyID = element.attribute("default_KID")
        pssh = element.child("pssh")?.trimmedText
        playReadyObject = element.child("pro")?.trimmedText
    }

    func write(to writer: inout XMLWriter) {
        let attributes = [("schemeIdUri", scheme), ("value", value), ("cenc:default_KID", defaultKeyID)]
        writer.element("ContentProtection", attributes) { writer in
            if let pssh { writer.element("cenc:pssh", text: pssh) }
            if let playReadyObject { writer.element("mspr:pro", text: playReadyObject) }
        }
    }
}
