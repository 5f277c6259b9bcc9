import CLibcrypto
import FPSCrypto

/// A private key with its CRT parameters (RFC 8017, section 3.2), in the format of crypto_mb.
final class CRTKey: Sendable {
    /// The size of the modulus, in bits.
    let bits: Int
    /// The modulus, big-endian.
    let modulus: [UInt8]
    /// p, q, dP, dQ and qInv, little-endian, each half as long as the modulus.
    private let words: SecretBytes

    /// Creates the key; nil if its parameters are not accessible, as in a hardware security module, or do not meet
    /// crypto_mb's requirements: two primes, each of half the modulus' size, the first one larger.
    init?(_ key: OpaquePointer, bits: Int) {
        let half = bits / 16
        guard bits % 128 == 0 else { return nil }
        var numbers: [OpaquePointer] = []
        defer { for number in numbers { BN_clear_free(number) } }
        func number(_ name: String) -> OpaquePointer? {
            var number: OpaquePointer?
            guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
            numbers.append(number)
            return number
        }
        // Missing parameters leave errors in libcrypto's error queue.
        defer { ERR_clear_error() }
        guard number("rsa-factor3") == nil, let n = number("n"),
            let p = number("rsa-factor1"), let q = number("rsa-factor2"),
            let dp = number("rsa-exponent1"), let dq = number("rsa-exponent2"),
            let inverse = number("rsa-coefficient1"),
            BN_num_bits(p) == bits / 2, BN_num_bits(q) == bits / 2, BN_cmp(p, q) > 0
        else { return nil }
        self.bits = bits
        modulus = [UInt8](unsafeUninitializedCapacity: bits / 8) { buffer, count in
            count = Int(max(BN_bn2binpad(n, buffer.baseAddress, Int32(bits / 8)), 0))
        }
        var isWhole = modulus.count == bits / 8
        words = SecretBytes(count: 5 * half) { memory in
            for (index, number) in [p, q, dp, dq, inverse].enumerated() {
                let place = memory.baseAddress?.advanced(by: index * half).assumingMemoryBound(to: UInt8.self)
                if BN_bn2lebinpad(number, place, Int32(half)) != half { isWhole = false }
            }
        }
        guard isWhole else { return nil }
    }

    /// Calls `body` with the five parameters, each repeated once per message.
    func withWords<Value>(
        repeated count: Int,
        _ body: (
            UnsafePointer<MultiBufferRSA.Words>, UnsafePointer<MultiBufferRSA.Words>,
            UnsafePointer<MultiBufferRSA.Words>, UnsafePointer<MultiBufferRSA.Words>,
            UnsafePointer<MultiBufferRSA.Words>
        ) -> Value
    ) -> Value {
        words.withUnsafeBytes { bytes in
            let each = (0..<5).flatMap { index in
                [MultiBufferRSA.Words](
                    repeating: bytes.baseAddress?.advanced(by: index * bits / 16).assumingMemoryBound(to: UInt64.self),
                    count: count
                )
            }
            return each.withUnsafeBufferPointer { each in
                // The buffer contains five times `count` elements.
                let base = each.baseAddress.unsafelyUnwrapped
                return body(base, base + count, base + 2 * count, base + 3 * count, base + 4 * count)
            }
        }
    }
}
