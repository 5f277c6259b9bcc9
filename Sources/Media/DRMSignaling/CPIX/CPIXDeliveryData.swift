import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A recipient of encrypted keys: its certificate, and the document keys encrypted with the certificate's public
    /// key.
    ///
    ///     DeliveryData @id @name
    ///       DeliveryKey / ds:X509Data / ds:X509Certificate      base64 of the DER
    ///       DocumentKey @Algorithm                              AES-256-CBC
    ///         Data / pskc:Secret / pskc:EncryptedValue          RSA-OAEP of 32 bytes
    ///       MACMethod @Algorithm                                HMAC-SHA512
    ///         Key                                               RSA-OAEP of the MAC key, 64 bytes when written
    ///
    /// A request for encrypted keys contains only the certificate. The schema calls the element in MACMethod
    /// `pskc:MACKey`; all known implementations write `Key`, and in AWS's SPEKE documentation it contains a
    /// `pskc:EncryptedValue`, as in DocumentKey. All three forms are accepted.
    public struct DeliveryData: Sendable, Equatable {
        /// The ID in the document.
        public var id: String?
        /// The display name.
        public var name: String?
        /// The recipient's certificate in DER.
        public var certificate: [UInt8]?
        /// The document key, encrypted with the certificate's public key.
        public var documentKey: EncryptedValue?
        /// The MAC key, encrypted with the certificate's public key.
        public var macKey: EncryptedValue?

        /// The unused attributes and elements.
        public var extensions = Extensions()

        /// Creates a request for keys encrypted for a certificate.
        public init(id: String? = nil, name: String? = nil, certificate: [UInt8]) {
            self.id = id
            self.name = name
            self.certificate = certificate
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            extensions = Extensions(element, namespaces)
            id = try element.cpixText("id")
            name = try element.cpixText("name")
            let key = element.cpixChild("DeliveryKey")
            let x509 = key?.cpixChild("X509Data", in: CPIXVocabulary.signatures)
            if let text = x509?.cpixChild("X509Certificate", in: CPIXVocabulary.signatures) {
                certificate = try text.cpixData()
            }
            if let key = element.cpixChild("DocumentKey") {
                try Self.require(CPIXVocabulary.aes256CBC, "aes256-cbc", of: key)
                let secret = key.cpixChild("Data")?.cpixChild("Secret", in: keyNamespace)
                guard let value = secret?.cpixChild("EncryptedValue", in: keyNamespace) else {
                    throw key.cpixError("Data with a Secret with an EncryptedValue is missing")
                }
                documentKey = try EncryptedValue(value)
            }
            if let method = element.cpixChild("MACMethod") {
                try Self.require(CPIXVocabulary.hmacSHA512, "hmac-sha512", of: method)
                guard let key = method.cpixChild("Key") ?? method.cpixChild("MACKey", in: keyNamespace) else {
                    throw method.cpixError("Key is missing")
                }
                macKey = try EncryptedValue(key.cpixChild("EncryptedValue", in: keyNamespace) ?? key)
            }
        }

        private static func require(
            _ algorithm: String,
            _ name: String,
            of element: XMLTree.Element
        ) throws(SignalingError) {
            guard element.attributes["Algorithm"] == algorithm else {
                throw element.cpixError("Algorithm must be \(name)")
            }
        }

        func write(to writer: inout XMLWriter) {
            writer.element("DeliveryData", [("id", id), ("name", name)], extensions) { writer in
                if let certificate {
                    writer.element("DeliveryKey") { writer in
                        writer.element("ds:X509Data") { writer in
                            writer.element("ds:X509Certificate", text: Base64.encode(certificate))
                        }
                    }
                }
                if let documentKey {
                    writer.element("DocumentKey", [("Algorithm", CPIXVocabulary.aes256CBC)]) { writer in
                        writer.element("Data") { writer in
                            writer.element("pskc:Secret") { writer in
                                documentKey.write(as: "pskc:EncryptedValue", to: &writer)
                            }
                        }
                    }
                }
                if let macKey {
                    writer.element("MACMethod", [("Algorithm", CPIXVocabulary.hmacSHA512)]) { writer in
                        macKey.write(as: "Key", to: &writer)
                    }
                }
            }
        }
    }
}
