#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension PEMBlock {
    /// Returns all blocks of `bytes`, without the text around them, or nil if a block is damaged or there is no block.
    static func all(in bytes: UnsafeRawBufferPointer) -> [PEMBlock]? {
        clearingErrors {
            MemoryBIO.reading(bytes) { bio in
                var blocks: [PEMBlock] = []
                while true {
                    var label: UnsafeMutablePointer<CChar>?
                    var header: UnsafeMutablePointer<CChar>?
                    var content: UnsafeMutablePointer<UInt8>?
                    var size = 0
                    guard PEM_read_bio(bio, &label, &header, &content, &size) == 1, let label, let header, let content
                    else {
                        let error = ERR_peek_last_error()
                        let isEnd = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE
                        return isEnd && !blocks.isEmpty ? blocks : nil
                    }
                    defer {
                        clibcrypto_free(label)
                        clibcrypto_free(header)
                        clibcrypto_clear_free(content, size)
                    }
                    blocks.append(
                        PEMBlock(
                            label: String(cString: label),
                            header: Array(String(cString: header).utf8),
                            content: SecretBytes(copying: UnsafeRawBufferPointer(start: content, count: size))
                        )
                    )
                }
            }
        }
    }
}
#endif
