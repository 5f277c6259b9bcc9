import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A recipient of encrypted keys: the certificate, and the keys under its public key that open the document.
    ///
    ///     DeliveryData @id @name
    ///       DeliveryKey / ds:X509Data / ds:X509Certificate      base64 of the DER
    ///       DocumentKey @Algorithm                              AES-256-CBC
    ///         Data / pskc:Secret / pskc:EncryptedValue          RSA-OAEP of 32 bytes
    ///       MACMethod @Algorithm                                HMAC-SHA512
    ///         Key                                               RSA-OAEP of the MAC key, 64 bytes when written
    ///
    /// A question for encrypted keys has the certificate alone. The schema calls what stands in MACMethod `pskc:MACKey`;
    /// all who write it write `Key`, and AWS's documentation of SPEKE has a `pskc:EncryptedValue` in it, as in DocumentKey.
    /// All three are read.
    public struct DeliveryData: Sendable, Equatable {
        /// What the document calls it.
        public var id: String?
        /// A name for people.
        public var name: String?
        /// The recipient's certificate, DER.
        public var certificate: [UInt8]?
        /// The document key, under the certificate's public key.
        public var documentKey: EncryptedValue?
        /// The key of the MACs, likewise.
        public var macKey: EncryptedValue?

        /// Makes the question for keys that are encrypted to a certificate.
        public init(id: String? = nil, name: String? = nil, certificate: [UInt8]) {
            self.id = id
            self.name = name
            self.certificate = certificate
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
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
                    throw key.cpixError("it has no Data with a Secret with an EncryptedValue")
                }
                documentKey = try EncryptedValue(value)
            }
            if let method = element.cpixChild("MACMethod") {
                try Self.require(CPIXVocabulary.hmacSHA512, "hmac-sha512", of: method)
                guard let key = method.cpixChild("Key") ?? method.cpixChild("MACKey", in: keyNamespace) else {
                    throw method.cpixError("it has no Key")
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
                throw element.cpixError("its Algorithm is not \(name), which alone is taken")
            }
        }

        func write(to writer: inout XMLWriter) {
            writer.element("DeliveryData", [("id", id), ("name", name)]) { writer in
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
