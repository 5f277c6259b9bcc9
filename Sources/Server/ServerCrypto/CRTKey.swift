import CLibcrypto
import FPSCrypto

/// A private key by its primes (RFC 8017, 3.2), in the words that crypto_mb takes.
final class CRTKey: Sendable {
    /// The size of the modulus.
    let bits: Int
    /// Big-endian.
    let modulus: [UInt8]
    /// p, q, dP, dQ and qInv, little-endian, each half as long as the modulus.
    private let words: SecretBytes

    /// Nil where the key does not show itself, as in a hardware module, or where its primes are not what crypto_mb reckons
    /// with: two, of half the modulus' size each, the first the larger.
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
        // What is not there is an error that nobody asked for.
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

    /// Lends the five numbers, each as many times as there are messages.
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
                // There are five times `count`.
                let base = each.baseAddress.unsafelyUnwrapped
                return body(base, base + count, base + 2 * count, base + 3 * count, base + 4 * count)
            }
        }
    }
}
