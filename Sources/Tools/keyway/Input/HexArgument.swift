import FPSCrypto

/// A parser for hexadecimal values on the command line, or in files given by `@FILE`. The argument parser does not
/// parse them, because its error messages repeat the argument.
enum HexArgument {
    /// Returns a secret of `count` bytes. A file may contain it in hexadecimal or binary.
    static func secret(_ text: String, option: String, count: Int) throws(CommandFailure) -> SecretBytes {
        guard text.hasPrefix("@") else {
            return SecretBytes(copying: try bytes(text, option: option, count: count))
        }
        let path = String(text.dropFirst())
        let content = try InputFile.readSecret(path)
        if content.count == count { return SecretBytes(copying: content) }
        guard let bytes = TextEncodings.hexadecimal(content), bytes.count == count else {
            throw .input(
                "\(option): \(path) does not contain \(count) bytes",
                next: "write them in hexadecimal (\(2 * count) digits) or binary"
            )
        }
        return SecretBytes(copying: bytes)
    }

    /// Returns an asset ID: text, or hexadecimal digits after `0x`.
    static func assetID(_ text: String, option: String) throws(CommandFailure) -> [UInt8] {
        guard text.hasPrefix("0x") else { return Array(text.utf8) }
        guard let bytes = TextEncodings.hexadecimal(text.utf8) else {
            throw .usage("\(option): expected hexadecimal digits after 0x")
        }
        return bytes
    }

    /// Returns `count` bytes that are not secret.
    static func bytes(_ text: String, option: String, count: Int) throws(CommandFailure) -> [UInt8] {
        guard let bytes = TextEncodings.hexadecimal(text.utf8), bytes.count == count else {
            throw .usage("\(option): expected \(count) bytes in hexadecimal", next: "give \(2 * count) digits")
        }
        return bytes
    }
}
