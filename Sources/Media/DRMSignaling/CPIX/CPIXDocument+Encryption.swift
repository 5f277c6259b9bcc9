public import FPSCrypto

// CPIX 2.3, "Key Encryption in the CPIX Document":
//
//     document key   32 random bytes   encrypted with RSA-OAEP for each recipient
//     MAC key        64 random bytes   likewise
//     content key    16-byte IV, then 32 bytes: key and padding, AES-256-CBC with the document key
//     MAC            HMAC-SHA512 of those 48 bytes with the MAC key
//
// The padding is that of XML Encryption: the last byte is the number of padding bytes, 1 to 16; the others are ignored.

extension CPIXDocument {
    /// Encrypts all clear keys for the certificates in ``deliveryData``, with a new document key. The written document
    /// can then be used only by the owners of the certificates.
    ///
    /// - Parameter time: The current time in Unix seconds, at which all certificates must be valid.
    /// - Throws: `invalid-delivery-key` if there is no certificate, or one cannot be parsed, is not valid at that time,
    ///   or has a key other than RSA with at least 2048 bits; `cpix-encryption-failed` if keys are already encrypted, or
    ///   encryption fails.
    public mutating func encryptKeys(at time: Int64) throws(SignalingError) {
        let certificates = try recipients(at: time)
        var random = SecureRandom()
        let documentKey = SecretBytes(count: AES256CBC.keySize, randomFrom: &random)
        let macKey = SecretBytes(count: HMACSHA512.size, randomFrom: &random)
        do {
            for index in contentKeys.indices {
                guard let value = contentKeys[index].value else { continue }
                guard case .plain(let key) = value else {
                    throw SignalingError(.cpixEncryptionFailed, "CPIX", "the keys are already encrypted")
                }
                let iv = random.bytes(16)
                let cipherValue = iv + (try AES256CBC.encryptPadded(key, key: documentKey, iv: iv))
                contentKeys[index].value = .encrypted(
                    EncryptedValue(algorithm: CPIXVocabulary.aes256CBC, cipherValue: cipherValue),
                    mac: HMACSHA512.authenticate(cipherValue, key: macKey)
                )
            }
            for (index, certificate) in certificates.enumerated() {
                let publicKey = try certificate.publicKey
                deliveryData[index].documentKey = EncryptedValue(
                    algorithm: CPIXVocabulary.rsaOAEP,
                    cipherValue: try publicKey.encryptOAEP(documentKey)
                )
                deliveryData[index].macKey = EncryptedValue(
                    algorithm: CPIXVocabulary.rsaOAEP,
                    cipherValue: try publicKey.encryptOAEP(macKey)
                )
            }
        } catch let error as SignalingError {
            throw error
        } catch {
            throw SignalingError(.cpixEncryptionFailed, "CPIX", "the keys cannot be encrypted")
        }
    }

    /// Decrypts all encrypted keys. Each requires a MAC, which is verified before decryption.
    ///
    /// - Parameter privateKey: The private key of a recipient.
    /// - Throws: `cpix-decryption-failed` if the document is not encrypted for this key, a MAC is missing or wrong, or a
    ///   decrypted value is not a key. The document is not changed in this case.
    public mutating func decryptKeys(with privateKey: RSAPrivateKey) throws(SignalingError) {
        guard contentKeys.contains(where: \.isEncrypted) else { return }
        let (documentKey, macKey) = try documentKeys(with: privateKey)
        var opened = contentKeys
        for index in opened.indices {
            guard case .encrypted(let value, let mac) = opened[index].value else { continue }
            opened[index].value = .plain(
                try Self.open(value, mac, documentKey, macKey, "CPIX, line \(opened[index].line), ContentKey")
            )
        }
        contentKeys = opened
        deliveryData = []
    }

    /// Checks that keys can be encrypted for all certificates in ``deliveryData``.
    ///
    /// - Parameter time: The current time in Unix seconds, at which all certificates must be valid.
    /// - Throws: `invalid-delivery-key`, as ``encryptKeys(at:)`` does.
    public func checkRecipients(at time: Int64) throws(SignalingError) { _ = try recipients(at: time) }

    /// Returns the certificates of all recipients.
    private func recipients(at time: Int64) throws(SignalingError) -> [X509Certificate] {
        func refusal(_ reason: String) -> SignalingError {
            SignalingError(.invalidDeliveryKey, "CPIX, DeliveryKey", reason)
        }
        guard !deliveryData.isEmpty else {
            throw refusal("there is no recipient: add DeliveryData with an X509Certificate")
        }
        var certificates: [X509Certificate] = []
        for data in deliveryData {
            guard let der = data.certificate, let certificate = try? X509Certificate(der) else {
                throw refusal("X509Certificate is not base64 of a certificate")
            }
            guard let key = try? certificate.publicKey, key.bits >= 2_048 else {
                throw refusal("the certificate's key is not RSA with at least 2048 bits")
            }
            guard (certificate.notBefore...max(certificate.notBefore, certificate.notAfter)).contains(time) else {
                throw refusal("the certificate is expired or not yet valid")
            }
            certificates.append(certificate)
        }
        return certificates
    }

    /// Decrypts the document key and the MAC key with a private key.
    private func documentKeys(
        with privateKey: RSAPrivateKey
    ) throws(SignalingError) -> (documentKey: SecretBytes, macKey: SecretBytes) {
        let own = deliveryData.filter { data in
            // An entry without a certificate may be for any recipient.
            guard let der = data.certificate else { return true }
            return (try? X509Certificate(der))?.matches(privateKey) ?? false
        }
        for data in own {
            guard let document = data.documentKey, let mac = data.macKey,
                document.algorithm == CPIXVocabulary.rsaOAEP, mac.algorithm == CPIXVocabulary.rsaOAEP,
                let documentKey = try? privateKey.decryptOAEP(document.cipherValue),
                let macKey = try? privateKey.decryptOAEP(mac.cipherValue),
                documentKey.count == AES256CBC.keySize, macKey.count >= 16
            else { continue }
            return (documentKey, macKey)
        }
        throw SignalingError(
            .cpixDecryptionFailed,
            "CPIX, DeliveryData",
            "no DocumentKey with a MACMethod is encrypted for this private key with RSA-OAEP"
        )
    }

    private static func open(
        _ value: EncryptedValue,
        _ mac: [UInt8]?,
        _ documentKey: SecretBytes,
        _ macKey: SecretBytes,
        _ subject: String
    ) throws(SignalingError) -> SecretBytes {
        guard value.algorithm == CPIXVocabulary.aes256CBC else {
            throw SignalingError(.cpixDecryptionFailed, subject, "EncryptionMethod must be aes256-cbc")
        }
        let expected = HMACSHA512.authenticate(value.cipherValue, key: macKey)
        guard let mac, SecretBytes.constantTimeEquals(mac, expected) else {
            throw SignalingError(
                .cpixDecryptionFailed,
                subject,
                mac == nil ? "ValueMAC is missing" : "ValueMAC does not match"
            )
        }
        guard
            let key = try? AES256CBC.decryptPadded(
                value.cipherValue.dropFirst(16),
                key: documentKey,
                iv: value.cipherValue.prefix(16)
            ), key.count == 16
        else { throw SignalingError(.cpixDecryptionFailed, subject, "the decrypted value is not a key of 16 bytes") }
        return key
    }
}

extension CPIXDocument.ContentKey {
    /// True if the key must be decrypted before use.
    public var isEncrypted: Bool {
        guard case .encrypted = value else { return false }
        return true
    }
}
