import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// Something that is encrypted, as XML Encryption has it. Its namespace is http://www.w3.org/2001/04/xmlenc#.
    ///
    ///     enc:EncryptionMethod @Algorithm
    ///       ds:DigestMethod @Algorithm      of RSA-OAEP; SHA-1 when it is not said
    ///     enc:CipherData / enc:CipherValue  base64
    ///
    /// With AES-256-CBC the first 16 bytes are the initialization vector.
    public struct EncryptedValue: Sendable, Equatable {
        /// The URI of the algorithm.
        public var algorithm: String
        /// What came out of the encryption.
        public var cipherValue: [UInt8]

        init(algorithm: String, cipherValue: [UInt8]) {
            self.algorithm = algorithm
            self.cipherValue = cipherValue
        }

        /// Reads what stands in an element, whatever that is called.
        init(_ element: XMLTree.Element) throws(SignalingError) {
            let namespace = CPIXVocabulary.encryption
            guard let method = element.cpixChild("EncryptionMethod", in: namespace),
                let algorithm = try method.cpixText("Algorithm")
            else { throw element.cpixError("it has no EncryptionMethod with an Algorithm") }
            let digest = method.cpixChild("DigestMethod", in: CPIXVocabulary.signatures)?.attributes["Algorithm"]
            guard digest == nil || digest == CPIXVocabulary.sha1 else {
                throw method.cpixError("of RSA-OAEP, SHA-1 alone is taken, which is what rsa-oaep-mgf1p means")
            }
            let data = element.cpixChild("CipherData", in: namespace)
            guard let value = data?.cpixChild("CipherValue", in: namespace) else {
                throw element.cpixError("it has no CipherData with a CipherValue")
            }
            self.algorithm = algorithm
            cipherValue = try value.cpixData()
        }

        func write(as name: String, to writer: inout XMLWriter) {
            writer.element(name) { writer in
                writer.element("enc:EncryptionMethod", [("Algorithm", algorithm)])
                writer.element("enc:CipherData") { writer in
                    writer.element("enc:CipherValue", text: Base64.encode(cipherValue))
                }
            }
        }
    }
}
