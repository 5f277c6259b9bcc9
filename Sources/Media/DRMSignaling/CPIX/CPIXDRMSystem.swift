import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// The signaling data of a DRM system for a key.
    ///
    ///     DRMSystem @kid @systemId @name @HLSAllowedCPC
    ///       PSSH                                  base64 of the box
    ///       ContentProtectionData @robustness     base64 of XML for ContentProtection in a DASH manifest
    ///       URIExtXKey                            base64 of the URI in EXT-X-KEY; not in CPIX 2.4
    ///       HLSSignalingData @playlist            base64 of playlist lines: `media` (EXT-X-KEY, and the default),
    ///                                             `master` (EXT-X-SESSION-KEY), which is `multiVariant` in CPIX 2.4,
    ///                                             but not in SPEKE v2.1
    ///       SmoothStreamingProtectionHeaderData   text
    ///       HDSSignalingData                      base64; not in CPIX 2.4
    ///
    /// In a request, an empty element requests its content, so an empty element differs from a missing one.
    public struct DRMSystem: Sendable, Equatable {
        /// The key ID.
        public var keyID: ContentKeyID
        /// The system ID.
        public var systemID: SystemID
        /// The display name.
        public var name: String?
        /// The value of ALLOWED-CPC for this system (CPIX 2.4).
        public var allowedCPC: String?
        /// The value of `robustness` of ContentProtection in a DASH manifest (CPIX 2.4).
        public var robustness: String?
        /// The `pssh` box, including its header.
        public var pssh: [UInt8]?
        /// XML for ContentProtection in a DASH manifest.
        public var contentProtectionData: String?
        /// The URI in EXT-X-KEY.
        public var keyURI: String?
        /// Lines for Media Playlists.
        public var mediaPlaylistSignaling: String?
        /// Lines for Multivariant Playlists.
        public var multivariantPlaylistSignaling: String?
        /// The ProtectionHeader of Smooth Streaming.
        public var smoothStreamingHeader: String?
        /// The signaling data of Adobe HDS.
        public var hdsSignaling: [UInt8]?
        /// The unused attributes and elements.
        public var extensions = Extensions()
        /// The unused attributes and elements of the child elements, by name; HLSSignalingData by its playlist.
        var childExtensions: [String: Extensions] = [:]
        /// The value of `playlist` for Multivariant Playlists.
        @IgnoredInComparison var multivariantName = "master"
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed. It is ignored in
        /// comparisons.
        @IgnoredInComparison public var line = 0

        /// Creates an entry.
        public init(keyID: ContentKeyID, systemID: SystemID, keyURI: String? = nil) {
            self.keyID = keyID
            self.systemID = systemID
            self.keyURI = keyURI
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            guard let systemID = element.attributes["systemId"].flatMap({ SystemID($0) }) else {
                throw element.cpixError("systemId is missing or is not a UUID")
            }
            self.systemID = systemID
            keyID = try element.cpixKeyID()
            name = try element.cpixText("name")
            allowedCPC = try element.cpixText("HLSAllowedCPC")
            extensions = Extensions(element, namespaces)
            line = element.line
            pssh = try element.cpixChild("PSSH")?.cpixData()
            contentProtectionData = try element.cpixChild("ContentProtectionData")?.cpixEncodedText()
            robustness = try element.cpixChild("ContentProtectionData")?.cpixText("robustness")
            keyURI = try element.cpixChild("URIExtXKey")?.cpixEncodedText()
            for signaling in element.cpixChildren("HLSSignalingData") { try parseSignaling(signaling) }
            if let header = element.cpixChild("SmoothStreamingProtectionHeaderData") {
                guard header.text.utf8.count <= Limit.data else {
                    throw header.cpixError("the header is longer than \(Limit.data) bytes")
                }
                smoothStreamingHeader = String(header.text.filter { !$0.isWhitespace })
            }
            hdsSignaling = try element.cpixChild("HDSSignalingData")?.cpixData()
            for child in element.children where CPIXVocabulary.isUsed(child, CPIXVocabulary.signaling) {
                let found = Extensions(child, namespaces)
                let isMultivariant = [nil, "media"].contains(child.attributes["playlist"]) == false
                if !found.isEmpty { childExtensions[child.name + (isMultivariant ? "/master" : "")] = found }
            }
        }

        private mutating func parseSignaling(_ element: XMLTree.Element) throws(SignalingError) {
            let lines = try element.cpixEncodedText()
            switch element.attributes["playlist"] {
            case nil, "media":
                guard mediaPlaylistSignaling == nil else {
                    throw element.cpixError("there is more than one HLSSignalingData element for media")
                }
                mediaPlaylistSignaling = lines
            case "master", "multiVariant":
                multivariantName = element.attributes["playlist"] ?? multivariantName
                guard multivariantPlaylistSignaling == nil else {
                    throw element.cpixError("there is more than one HLSSignalingData element for master")
                }
                multivariantPlaylistSignaling = lines
            default: throw element.cpixError("playlist must be media, master or multiVariant")
            }
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("kid", keyID.uuid), ("systemId", systemID.description), ("name", name), ("HLSAllowedCPC", allowedCPC),
            ]
            writer.element("DRMSystem", attributes, extensions) { writer in
                write("PSSH", pssh, to: &writer)
                write("ContentProtectionData", contentProtectionData, [("robustness", robustness)], to: &writer)
                write("URIExtXKey", keyURI, to: &writer)
                write("HLSSignalingData", mediaPlaylistSignaling, [("playlist", "media")], to: &writer)
                write(
                    "HLSSignalingData",
                    multivariantPlaylistSignaling,
                    [("playlist", multivariantName)],
                    extensions: "HLSSignalingData/master",
                    to: &writer
                )
                if let smoothStreamingHeader {
                    writer.element("SmoothStreamingProtectionHeaderData", text: smoothStreamingHeader)
                }
                write("HDSSignalingData", hdsSignaling, to: &writer)
            }
        }

        private func write(
            _ name: String,
            _ text: String?,
            _ attributes: [(String, String?)] = [],
            extensions key: String? = nil,
            to writer: inout XMLWriter
        ) {
            write(name, text.map { Array($0.utf8) }, attributes, extensions: key, to: &writer)
        }

        private func write(
            _ name: String,
            _ bytes: [UInt8]?,
            _ attributes: [(String, String?)] = [],
            extensions key: String? = nil,
            to writer: inout XMLWriter
        ) {
            guard let bytes else { return }
            let unused = childExtensions[key ?? name]?.attributes.map { ($0.name, Optional($0.value)) } ?? []
            if bytes.isEmpty {
                writer.element(name, attributes + unused)
            } else {
                writer.element(name, attributes + unused, text: Base64.encode(bytes))
            }
        }
    }
}

/// A property that is ignored when its container is compared, such as the position in a parsed document.
@propertyWrapper
public struct IgnoredInComparison<Value: Sendable>: Sendable, Equatable {
    /// The value.
    public var wrappedValue: Value

    /// Creates a property with a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Returns true for all values.
    public static func == (_: Self, _: Self) -> Bool { true }
}
