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

        /// The scheme of HDCP in OutputProtection, whose value is the minimum version of HDCP (ISO/IEC 23009-1, 5.8.5.14).
        public static let outputProtectionScheme = "urn:mpeg:dash:output-protection:hdcp:2020"

        /// Creates the data of a level. TYPE-0 is any version of HDCP; TYPE-1 is version 2.2 or later.
        public init(level: HDCPRequirement?) {
            self.level = level?.rawValue
            let versions: [HDCPRequirement: String] = [.type0: "1.0", .type1: "2.2"]
            guard let version = level.flatMap({ versions[$0] }) else { return }
            var writer = XMLWriter()
            writer.element(
                "OutputProtection",
                [
                    ("xmlns", "urn:mpeg:dash:schema:mpd:2011"), ("schemeIdUri", Self.outputProtectionScheme),
                    ("value", version),
                ]
            )
            // A fragment has no XML declaration.
            let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n")
            outputProtection = lines.last.map(String.init)
        }

        /// Parses the XML of OutputProtection, and returns its scheme and value; nil if it is missing.
        ///
        /// - Throws: `invalid-cpix` if it is not a single OutputProtection element with a scheme.
        public func outputProtectionDescriptor() throws(SignalingError) -> (scheme: String, value: String?)? {
            guard let outputProtection else { return nil }
            guard let element = try? XMLTree(Array(outputProtection.utf8)).root, element.name == "OutputProtection",
                let scheme = try element.cpixText("schemeIdUri")
            else {
                throw SignalingError(
                    .invalidCPIX,
                    "CPIX, HDCPOutputProtectionData",
                    "it is not an OutputProtection element with a schemeIdUri"
                )
            }
            return (scheme, try element.cpixText("value"))
        }

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
