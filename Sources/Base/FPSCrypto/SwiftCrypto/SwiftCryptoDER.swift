#if SwiftCrypto
import SwiftASN1

/// A DER encoding does not have the expected structure.
struct UnexpectedDER: Error {}

extension ASN1Node {
    /// The elements of a SEQUENCE, a SET or another constructed value; empty for a primitive value.
    var elements: [ASN1Node] {
        guard case .constructed(let nodes) = content else { return [] }
        return Array(nodes)
    }

    /// The bytes of a primitive value; nil for a constructed value.
    var bytes: ArraySlice<UInt8>? {
        guard case .primitive(let bytes) = content else { return nil }
        return bytes
    }

    /// Returns the elements of a SEQUENCE with at least `count` elements; throws for other values.
    func sequence(atLeast count: Int) throws -> [ASN1Node] {
        let elements = elements
        guard identifier == .sequence, elements.count >= count else { throw UnexpectedDER() }
        return elements
    }
}

/// Functions to parse DER encodings of RSA keys.
enum RSAKeyDER {
    /// The object identifier rsaEncryption (RFC 8017, appendix A.1).
    static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]

    /// Returns whether an AlgorithmIdentifier is rsaEncryption.
    static func isRSA(_ algorithm: ASN1Node) throws -> Bool {
        try ASN1ObjectIdentifier(derEncoded: algorithm.sequence(atLeast: 1)[0]) == rsaEncryption
    }

    /// Returns the size in bits of a non-negative INTEGER, such as a modulus.
    static func bits(_ number: ASN1Node) throws -> Int {
        guard number.identifier == .integer, let bytes = number.bytes else { throw UnexpectedDER() }
        let significant = bytes.drop { $0 == 0 }
        return significant.count * 8 - (significant.first?.leadingZeroBitCount ?? 0)
    }

    /// Returns the size in bits of the modulus of the RSAPublicKey, which is in the BIT STRING of a
    /// SubjectPublicKeyInfo.
    static func bits(inPublicKeyOf subjectPublicKeyInfo: ASN1Node) throws -> Int {
        let key = try ASN1BitString(derEncoded: subjectPublicKeyInfo.sequence(atLeast: 2)[1])
        return try bits(DER.parse(key.bytes).sequence(atLeast: 2)[0])
    }
}
#endif
