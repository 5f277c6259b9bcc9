#if SwiftCrypto
import CryptoExtras
import SwiftASN1

// swift-certificates cannot be used, because it rejects certificates with an RSA key of less than 2048 bits, and the
// application certificates of SPC version 1 have 1024 bits.

extension X509Certificate {
    /// Parses the subject, the validity and the public key.
    static func read(_ der: UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Fields {
        do {
            // RFC 5280, 4.1: TBSCertificate, algorithm, signature.
            let certificate = try DER.parse(Array(der)).sequence(atLeast: 3)
            guard certificate.count == 3, certificate[2].identifier == .bitString else { throw UnexpectedDER() }
            var fields = try certificate[0].sequence(atLeast: 6)[...]
            // The version, with the tag [0], is optional.
            if fields.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) {
                fields = fields.dropFirst()
            }
            // Serial number, signature algorithm, issuer, validity, subject, key.
            let rest = Array(fields)
            guard rest.count >= 6, rest[0].identifier == .integer else { throw UnexpectedDER() }
            let validity = try rest[3].sequence(atLeast: 2)
            return (
                try DistinguishedName.text(rest[4]), try seconds(validity[0]), try seconds(validity[1]),
                try key(rest[5])
            )
        } catch {
            throw unreadable("the data is neither a PEM nor a DER certificate, or the certificate is damaged")
        }
    }

    private static func key(_ subjectPublicKeyInfo: ASN1Node) throws -> Result<RSAPublicKey, CryptoError> {
        let operation = "reading the public key of a certificate"
        let algorithm = try subjectPublicKeyInfo.sequence(atLeast: 2)[0]
        guard try RSAKeyDER.isRSA(algorithm) else {
            return .failure(CryptoError(.notAnRSAKey, operation: operation))
        }
        return Result { () throws(CryptoError) in
            guard let bits = try? RSAKeyDER.bits(inPublicKeyOf: subjectPublicKeyInfo) else {
                throw CryptoError(.unreadableKey, operation: operation)
            }
            _ = try requireBits(bits, operation: operation)
            let encoding = Array(subjectPublicKeyInfo.encodedBytes)
            guard let key = try? _RSA.Encryption.PublicKey(unsafeDERRepresentation: encoding) else {
                throw CryptoError(.unreadableKey, operation: operation)
            }
            return try RSAPublicKey(RSAPublicBackend(key), operation: operation)
        }
    }

    /// Returns a UTCTime or a GeneralizedTime in seconds since 1970.
    private static func seconds(_ time: ASN1Node) throws -> Int64 {
        if time.identifier == .utcTime {
            let time = try UTCTime(derEncoded: time)
            return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: time)
        return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int)
        -> Int64
    {
        // Years are counted from March, so that the leap day is the last day. There are 719,468 days from March of year
        // 0 to 1970.
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
        return Int64(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    }
}

/// The text form of distinguished names according to RFC 2253.
private enum DistinguishedName {
    /// The names of attribute types in RFC 2253 and RFC 4519.
    private static let names: [ASN1ObjectIdentifier: String] = [
        [2, 5, 4, 3]: "CN", [2, 5, 4, 4]: "SN", [2, 5, 4, 5]: "serialNumber", [2, 5, 4, 6]: "C", [2, 5, 4, 7]: "L",
        [2, 5, 4, 8]: "ST", [2, 5, 4, 9]: "street", [2, 5, 4, 10]: "O", [2, 5, 4, 11]: "OU", [2, 5, 4, 12]: "title",
        [2, 5, 4, 42]: "GN", [0, 9, 2342, 19_200_300, 100, 1, 1]: "UID", [0, 9, 2342, 19_200_300, 100, 1, 25]: "DC",
        [1, 2, 840, 113_549, 1, 9, 1]: "emailAddress",
    ]

    static func text(_ name: ASN1Node) throws -> String {
        try name.sequence(atLeast: 0).reversed().map { set in
            guard set.identifier == .set, !set.elements.isEmpty else { throw UnexpectedDER() }
            return try set.elements.map(attribute).joined(separator: "+")
        }.joined(separator: ",")
    }

    private static func attribute(_ attribute: ASN1Node) throws -> String {
        let parts = try attribute.sequence(atLeast: 2)
        let type = try ASN1ObjectIdentifier(derEncoded: parts[0])
        return (names[type] ?? type.description) + "="
            + (text(of: parts[1]) ?? "#" + hexadecimal(parts[1].encodedBytes))
    }

    private static func text(of value: ASN1Node) -> String? {
        guard let bytes = value.bytes else { return nil }
        switch value.identifier {
        case .utf8String, .printableString, .ia5String, .numericString:
            return String(validating: bytes, as: UTF8.self).map(escaped)
        case .teletexString:
            return escaped(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        case .bmpString:
            let bytes = Array(bytes)
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(validating: units, as: UTF16.self).map(escaped)
        default: return nil
        }
    }

    /// Returns the text with escapes according to RFC 2253, 2.4, and with control characters as hexadecimal digits.
    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        return scalars.enumerated().map { place, scalar in
            let isEnd = scalar == " " && (place == 0 || place == scalars.count - 1)
            if isEnd || (scalar == "#" && place == 0) || ",+\"\\<>;".unicodeScalars.contains(scalar) {
                return "\\" + String(scalar)
            }
            return scalar.value < 0x20 || scalar.value == 0x7f
                ? "\\" + hexadecimal([UInt8(scalar.value)]) : String(scalar)
        }.joined()
    }

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
#endif
