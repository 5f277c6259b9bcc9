#if SwiftCrypto
import Foundation

extension PEMBlock {
    /// Returns all blocks of `bytes`, without the text around them, or nil if a block is damaged or there is no block.
    static func all(in bytes: UnsafeRawBufferPointer) -> [PEMBlock]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var blocks: [PEMBlock] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: "-----BEGIN "),
            let line = rest[begin.upperBound...].firstRange(of: "-----")
        {
            let label = String(rest[begin.upperBound..<line.lowerBound])
            let end = "-----END \(label)-----"
            guard let last = rest[line.upperBound...].firstRange(of: end) else { return nil }
            guard let block = block(label, rest[line.upperBound..<last.lowerBound]) else { return nil }
            blocks.append(block)
            rest = rest[last.upperBound...]
        }
        return blocks.isEmpty ? nil : blocks
    }

    /// Parses a block from the text between its first and its last line.
    private static func block(_ label: String, _ inside: Substring) -> PEMBlock? {
        let lines = inside.split(whereSeparator: \.isNewline)
        // The old encrypted format has header lines, "Proc-Type: 4,ENCRYPTED" and "DEK-Info: ..."; base64 does not
        // contain colons.
        let header = lines.prefix { $0.contains(":") }
        // Lines can have any length, as in OpenSSL. The result is nil if the text is not base64.
        let text = lines.dropFirst(header.count).joined().filter { $0 != " " && $0 != "\t" }
        guard let content = Data(base64Encoded: text), !content.isEmpty else { return nil }
        return PEMBlock(
            label: label,
            header: header.isEmpty ? [] : Array(header.joined(separator: "\n").utf8),
            content: SecretBytes(copying: content)
        )
    }
}
#endif
