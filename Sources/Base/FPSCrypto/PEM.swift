/// One block of a PEM file (RFC 7468): its label, the header lines of the old encrypted form, and the decoded bytes.
struct PEMBlock {
    let label: String
    let header: [UInt8]
    let content: SecretBytes

    /// Larger inputs are no key and no certificate.
    static let maximumSize = 1 << 20

    /// True if there is the beginning of a block anywhere. DER starts with 0x30, which is no such text.
    static func isPEM(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.first != 0x30 else { return false }
        let mark = Array("-----BEGIN ".utf8)
        var rest = bytes[...]
        while let dash = rest.firstIndex(of: mark[0]) {
            rest = rest[dash...]
            if rest.starts(with: mark) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
