import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// An encrypted value in the format of XML Encryption, in the namespace http://www.w3.org/2001/04/xmlenc#.
    ///
    ///     enc:EncryptionMethod @Algorithm
    ///       ds:DigestMethod @Algorithm      for RSA-OAEP; SHA-1 if missing
    ///     enc:CipherData / enc:CipherValue  base64
    ///
    /// With AES-256-CBC the first 16 bytes are the initialization vector.
    public struct EncryptedValue: Sendable, Equatable {
        /// The URI of the algorithm.
        public var algorithm: String
        /// The ciphertext.
        public var cipherValue: [UInt8]

        init(algorithm: String, cipherValue: [UInt8]) {
            self.algorithm = algorithm
            self.cipherValue = cipherValue
        }

        /// Parses the content of an element with any name.
        init(_ element: XMLTree.Element) throws(SignalingError) {
            let namespace = CPIXVocabulary.encryption
            guard let method = element.cpixChild("EncryptionMethod", in: namespace),
                let algorithm = try method.cpixText("Algorithm")
            else { throw element.cpixError("EncryptionMethod with an Algorithm is missing") }
            let digest = method.cpixChild("DigestMethod", in: CPIXVocabulary.signatures)?.attributes["Algorithm"]
            guard digest == nil || digest == CPIXVocabulary.sha1 else {
                throw method.cpixError("DigestMethod must be SHA-1 for RSA-OAEP (rsa-oaep-mgf1p)")
            }
            let data = element.cpixChild("CipherData", in: namespace)
            guard let value = data?.cpixChild("CipherValue", in: namespace) else {
                throw element.cpixError("CipherData with a CipherValue is missing")
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
