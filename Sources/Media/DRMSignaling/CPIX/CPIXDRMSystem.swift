import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// What a protection system says of a key.
    ///
    ///     DRMSystem @kid @systemId @name
    ///       PSSH                                    base64 of the box
    ///       ContentProtectionData                   base64 of what stands in ContentProtection of DASH, XML
    ///       URIExtXKey                              base64 of the URI of EXT-X-KEY
    ///       HLSSignalingData @playlist              base64 of lines of a playlist: `media` (EXT-X-KEY, and the default),
    ///                                               `master` (EXT-X-SESSION-KEY)
    ///       SmoothStreamingProtectionHeaderData     text
    ///       HDSSignalingData                        base64
    ///
    /// In a question an element that is empty asks for its content. So empty and missing are not the same.
    public struct DRMSystem: Sendable, Equatable {
        /// The key.
        public var keyID: ContentKeyID
        /// The system.
        public var systemID: SystemID
        /// A name for people.
        public var name: String?
        /// The `pssh` box, its header included.
        public var pssh: [UInt8]?
        /// XML for ContentProtection of a DASH manifest.
        public var contentProtectionData: String?
        /// The URI of EXT-X-KEY.
        public var keyURI: String?
        /// Lines for Media Playlists.
        public var mediaPlaylistSignaling: String?
        /// Lines for Multivariant Playlists.
        public var multivariantPlaylistSignaling: String?
        /// What Smooth Streaming has in its ProtectionHeader.
        public var smoothStreamingHeader: String?
        /// What Adobe's HDS has.
        public var hdsSignaling: [UInt8]?
        /// The line in which its start tag ends, for messages; 0 in a document that was not read. It makes no two entries
        /// different.
        @IgnoredInComparison public var line = 0

        /// Makes an entry.
        public init(keyID: ContentKeyID, systemID: SystemID, keyURI: String? = nil) {
            self.keyID = keyID
            self.systemID = systemID
            self.keyURI = keyURI
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            guard let systemID = element.attributes["systemId"].flatMap({ SystemID($0) }) else {
                throw element.cpixError("systemId is missing, or is no UUID")
            }
            self.systemID = systemID
            keyID = try element.cpixKeyID()
            name = try element.cpixText("name")
            line = element.line
            pssh = try element.cpixChild("PSSH")?.cpixData()
            contentProtectionData = try element.cpixChild("ContentProtectionData")?.cpixEncodedText()
            keyURI = try element.cpixChild("URIExtXKey")?.cpixEncodedText()
            for signaling in element.cpixChildren("HLSSignalingData") { try take(signaling) }
            if let header = element.cpixChild("SmoothStreamingProtectionHeaderData") {
                guard header.text.utf8.count <= Limit.data else { throw header.cpixError("it is too long") }
                smoothStreamingHeader = String(header.text.filter { !$0.isWhitespace })
            }
            hdsSignaling = try element.cpixChild("HDSSignalingData")?.cpixData()
        }

        private mutating func take(_ element: XMLTree.Element) throws(SignalingError) {
            let lines = try element.cpixEncodedText()
            switch element.attributes["playlist"] {
            case nil, "media":
                guard mediaPlaylistSignaling == nil else { throw element.cpixError("there is one for media already") }
                mediaPlaylistSignaling = lines
            case "master":
                guard multivariantPlaylistSignaling == nil else {
                    throw element.cpixError("there is one for master already")
                }
                multivariantPlaylistSignaling = lines
            default: throw element.cpixError("playlist is neither media nor master")
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

/// A value that does not count when what holds it is compared: where something was read is not part of what it says.
@propertyWrapper
public struct IgnoredInComparison<Value: Sendable>: Sendable, Equatable {
    /// The value.
    public var wrappedValue: Value

    /// Takes the value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Always true.
    public static func == (_: Self, _: Self) -> Bool { true }
}
