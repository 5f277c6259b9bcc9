/// A block of a PEM file (RFC 7468): its label, the header lines of the old encrypted format, and the decoded bytes.
struct PEMBlock {
    let label: String
    let header: [UInt8]
    let content: SecretBytes

    /// The maximum size of the input in bytes. Keys and certificates are never larger.
    static let maximumSize = 1 << 20

    /// Returns whether the input contains the start of a PEM block.
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
