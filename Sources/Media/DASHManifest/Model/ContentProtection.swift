import XMLDocuments

/// `ContentProtection`: the encryption scheme and the key ID of encrypted media, or the data of one DRM system
/// (ISO/IEC 23009-1, 5.8.4.1; ISO/IEC 23001-7, 11; DASH-IF IOP, 7).
///
///     schemeIdUri        urn:mpeg:dash:mp4protection:2011, or urn:uuid: and the system's UUID
///     value              of mp4protection: cenc, cens, cbc1, cbcs; of a system: a human-readable name
///     robustness         of a system: the level that its client must have
///     cenc:default_KID   the key ID as a UUID
///     cenc:pssh          a complete pssh box in Base64  ┐
///     mspr:pro           a PlayReady Object in Base64   │ elements, of a system
///     dashif:Laurl       the URL of the license server  │
///     dashif:Certurl     the URL of the certificate     ┘
public struct ContentProtection: Hashable, Sendable {
    /// The namespace of `dashif:Laurl` and `dashif:Certurl` (DASH-IF IOP v5, Part 6).
    static let dashIFNamespace = "https://dashif.org/CPS"

    /// The URI of the mp4protection scheme, whose descriptor has the encryption scheme and the key ID.
    public static let mp4Scheme = "urn:mpeg:dash:mp4protection:2011"

    /// The scheme URI.
    public var scheme: String
    /// The value, whose meaning depends on the scheme; nil when the attribute is absent.
    public var value: String?
    /// The default key ID as a UUID; nil when the attribute is absent.
    public var defaultKeyID: String?
    /// The `pssh` box in Base64; nil when there is none.
    public var pssh: String?
    /// The PlayReady Object in Base64; nil when there is none.
    public var playReadyObject: String?

    /// The URL of the license server; nil when there is none.
    public var licenseURL: String?
    /// The URL of the server certificate, such as that of FairPlay; nil when there is none.
    public var certificateURL: String?
    /// The robustness that the system's client must have; nil when the attribute is absent.
    public var robustness: String?

    /// True if an element is in the namespace of DASH-IF.
    var usesDASHIFNamespace: Bool { licenseURL != nil || certificateURL != nil }

    /// True if the scheme is mp4protection, not a DRM system.
    public var isMP4Protection: Bool { scheme.lowercased() == Self.mp4Scheme }

    /// The UUID of the DRM system in lowercase; nil when the scheme is not a DRM system.
    public var systemID: String? {
        let text = scheme.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : nil
    }

    /// Creates the mp4protection descriptor of encrypted media.
    ///
    /// - Parameters:
    ///   - scheme: The encryption scheme, four characters such as `cbcs`.
    ///   - keyID: The key ID as a UUID.
    public init(scheme: String, keyID: String) {
        self.scheme = Self.mp4Scheme
        value = scheme
        defaultKeyID = keyID
    }

    /// Creates the descriptor of a DRM system.
    ///
    /// - Parameters:
    ///   - systemID: The UUID of the DRM system.
    ///   - name: The human-readable name of the system.
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
        licenseURL = element.child("Laurl", in: Self.dashIFNamespace)?.trimmedText
        certificateURL = element.child("Certurl", in: Self.dashIFNamespace)?.trimmedText
        robustness = element.attributes["robustness"]
    }

    func write(to writer: inout XMLWriter) {
        let attributes = [
            ("schemeIdUri", scheme), ("value", value), ("robustness", robustness), ("cenc:default_KID", defaultKeyID),
        ]
        writer.element("ContentProtection", attributes) { writer in
            if let pssh { writer.element("cenc:pssh", text: pssh) }
            if let playReadyObject { writer.element("mspr:pro", text: playReadyObject) }
            if let licenseURL { writer.element("dashif:Laurl", text: licenseURL) }
            if let certificateURL { writer.element("dashif:Certurl", text: certificateURL) }
        }
    }
}
