import FPSCrypto
import FPSMessages
import Foundation

// The kinds that are detected by their binary structure.

extension FileKind {
    /// The maximum payload size, in bytes; a greater length field is probably random data.
    private static let maximumPayload = 1 << 20
    /// The size of an SPC header without the RSA block, in bytes.
    private static let spcHeader = 48

    /// Returns an SPC or a CKC, if the first four bytes are a version and the rest is consistent with it.
    static func message(_ bytes: [UInt8]) -> FileKind? {
        guard bytes.count >= 4, let version = word(bytes, at: 0), (1...3).contains(version) else { return nil }
        // Version 1 exists for both. A CKC has the length of its payload at the offset where an SPC has its random RSA
        // block. A length that matches the size exactly decides; otherwise, a plausible length does.
        let ckcLength = version == 1 ? word(bytes, at: 24).map { Int($0) } : nil
        let ckc = ckcLength.map { completeness(of: bytes, header: CKCMessage.headerLength, payload: $0) }
        let spc = spcCompleteness(of: bytes, version: SPCVersion(rawValue: version))
        if ckc == .complete { return .ckc(.complete) }
        if spc == .complete { return .spc(version: version, .complete) }
        if let ckc, let ckcLength, ckcLength <= maximumPayload, ckcLength.isMultiple(of: 16) { return .ckc(ckc) }
        return .spc(version: version, spc)
    }

    private static func spcCompleteness(of bytes: [UInt8], version: SPCVersion) -> Completeness {
        // Only Apple defines the layout of version 3.
        guard let rsa = version.encryptedKeyLength else { return .complete }
        let header = spcHeader + rsa
        guard let payload = word(bytes, at: header - 4) else { return .truncated(missing: header - bytes.count) }
        return completeness(of: bytes, header: header, payload: Int(payload))
    }

    private static func completeness(of bytes: [UInt8], header: Int, payload: Int) -> Completeness {
        guard payload.isMultiple(of: 16) else { return .invalidLength(payload) }
        let difference = bytes.count - header - payload
        if difference < 0 { return .truncated(missing: -difference) }
        return difference == 0 ? .complete : .excess(difference)
    }

    private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns a certificate or a key, in PEM or DER.
    static func credential(_ bytes: [UInt8]) -> FileKind? {
        let encoding: Encoding
        var label: String?
        if bytes.first == 0x30 {
            encoding = .der
        } else if let found = pemLabel(bytes) {
            encoding = .pem
            label = found
        } else {
            return nil
        }
        if let certificate = try? X509Certificate(bytes) {
            return .certificate(encoding, subject: certificate.subject)
        }
        do {
            _ = try RSAPrivateKey(bytes)
            return .privateKey(encoding)
        } catch {
            if error.code == .passphraseRequired || label?.hasSuffix("PRIVATE KEY") == true {
                return .privateKey(encoding)
            }
        }
        return label.map { .pem(label: $0) }
    }

    /// Returns the label of the first PEM block; nil for binary data, even if it contains a PEM header.
    private static func pemLabel(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self),
            let beginning = text.range(of: "-----BEGIN "),
            let end = text[beginning.upperBound...].range(of: "-----")
        else { return nil }
        return String(text[beginning.upperBound..<end.lowerBound].prefix(64))
    }
}
