import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// The protection of outputs that a key requires (CPIX 2.4, 7.4.8).
    ///
    ///     HDCPData @HLSHDCPLevel              the value of HDCP-LEVEL in EXT-X-STREAM-INF
    ///       HDCPOutputProtectionData          base64 of XML: OutputProtection of a DASH manifest
    public struct HDCPData: Sendable, Equatable {
        /// The value of HDCP-LEVEL: `NONE`, `TYPE-0`, `TYPE-1`; nil if the attribute is missing.
        public var level: String?
        /// The XML of the OutputProtection element for a DASH manifest; nil if it is missing.
        public var outputProtection: String?
        /// The unused attributes and elements.
        public var extensions = Extensions()

        /// Creates the data of a level.
        public init(level: HDCPRequirement?) { self.level = level?.rawValue }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            level = try element.cpixText("HLSHDCPLevel")
            outputProtection = try element.cpixChild("HDCPOutputProtectionData")?.cpixEncodedText()
            extensions = Extensions(element, namespaces)
        }

        func write(to writer: inout XMLWriter) {
            writer.element("HDCPData", [("HLSHDCPLevel", level)], extensions) { writer in
                guard let outputProtection else { return }
                writer.element("HDCPOutputProtectionData", text: Base64.encode(Array(outputProtection.utf8)))
            }
        }
    }
}
