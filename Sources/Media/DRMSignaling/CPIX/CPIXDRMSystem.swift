import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// The signaling data of a DRM system for a key.
    ///
    ///     DRMSystem @kid @systemId @name
    ///       PSSH                                    base64 of the box
    ///       ContentProtectionData                   base64 of XML for ContentProtection in a DASH manifest
    ///     URIExtXKey                              base64 of the URI in EXT-X-KEY
    ///       HLSSignalingData @playlist              base64 of playlist lines: `media` (EXT-X-KEY, and the default),
    ///                                             `master` (EXT-X-SESSION-KEY)
    ///       SmoothStreamingProtectionHeaderData     text
    ///       HDSSignalingData                        base64
    ///
    /// In a request, an empty element requests its content, so an empty element differs from a missing one.
    public struct DRMSystem: Sendable, Equatable {
        /// The key ID.
        public var keyID: ContentKeyID
        /// The system ID.
        public var systemID: SystemID
        /// The display name.
        public var name: String?
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
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed. It is ignored in
        /// comparisons.
        @IgnoredInComparison public var line = 0

        /// Creates an entry.
        public init(keyID: ContentKeyID, systemID: SystemID, keyURI: String? = nil) {
            self.keyID = keyID
            self.systemID = systemID
            self.keyURI = keyURI
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            guard let systemID = element.attributes["systemId"].flatMap({ SystemID($0) }) else {
                throw element.cpixError("systemId is missing or is not a UUID")
            }
            self.systemID = systemID
            keyID = try element.cpixKeyID()
            name = try element.cpixText("name")
            line = element.line
            pssh = try element.cpixChild("PSSH")?.cpixData()
            contentProtectionData = try element.cpixChild("ContentProtectionData")?.cpixEncodedText()
            keyURI = try element.cpixChild("URIExtXKey")?.cpixEncodedText()
            for signaling in element.cpixChildren("HLSSignalingData") { try parseSignaling(signaling) }
            if let header = element.cpixChild("SmoothStreamingProtectionHeaderData") {
                guard header.text.utf8.count <= Limit.data else {
                    throw header.cpixError("the header is longer than \(Limit.data) bytes")
                }
                smoothStreamingHeader = String(header.text.filter { !$0.isWhitespace })
            }
            hdsSignaling = try element.cpixChild("HDSSignalingData")?.cpixData()
        }

        private mutating func parseSignaling(_ element: XMLTree.Element) throws(SignalingError) {
            let lines = try element.cpixEncodedText()
            switch element.attributes["playlist"] {
            case nil, "media":
                guard mediaPlaylistSignaling == nil else {
                    throw element.cpixError("there is more than one HLSSignalingData element for media")
                }
                mediaPlaylistSignaling = lines
            case "master":
                guard multivariantPlaylistSignaling == nil else {
                    throw element.cpixError("there is more than one HLSSignalingData element for master")
                }
                multivariantPlaylistSignaling = lines
            default: throw element.cpixError("playlist must be media or master")
            }
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [("kid", keyID.uuid), ("systemId", systemID.description), ("name", name)]
            writer.element("DRMSystem", attributes) { writer in
                Self.write("PSSH", pssh, to: &writer)
                Self.write("ContentProtectionData", contentProtectionData.map { Array($0.utf8) }, to: &writer)
                Self.write("URIExtXKey", keyURI.map { Array($0.utf8) }, to: &writer)
                let signaling = [("media", mediaPlaylistSignaling), ("master", multivariantPlaylistSignaling)]
                for (playlist, lines) in signaling {
                    let bytes = lines.map { Array($0.utf8) }
                    Self.write("HLSSignalingData", bytes, [("playlist", playlist)], to: &writer)
                }
                if let smoothStreamingHeader {
                    writer.element("SmoothStreamingProtectionHeaderData", text: smoothStreamingHeader)
                }
                Self.write("HDSSignalingData", hdsSignaling, to: &writer)
            }
        }

        private static func write(
            _ name: String,
            _ bytes: [UInt8]?,
            _ attributes: [(String, String?)] = [],
            to writer: inout XMLWriter
        ) {
            guard let bytes else { return }
            if bytes.isEmpty {
                writer.element(name, attributes)
            } else {
                writer.element(name, attributes, text: Base64.encode(bytes))
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
