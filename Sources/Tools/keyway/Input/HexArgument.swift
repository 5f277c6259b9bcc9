import FPSCrypto

/// Values given in hexadecimal on the command line, or by `@FILE` in a file. They are read here and not by the argument
/// parser, whose errors repeat what was typed.
enum HexArgument {
    /// A secret of `count` bytes. A file may hold it in hexadecimal or as it is.
    static func secret(_ text: String, option: String, count: Int) throws(CommandFailure) -> SecretBytes {
        guard text.hasPrefix("@") else {
            return SecretBytes(copying: try bytes(text, option: option, count: count))
        }
        let path = String(text.dropFirst())
        let content = try InputFile.readSecret(path)
        if content.count == count { return SecretBytes(copying: content) }
        guard let bytes = TextEncodings.hexadecimal(content), bytes.count == count else {
            throw .input(
                "\(path), given for \(option), does not hold \(count) bytes",
                next: "write them in hexadecimal (\(2 * count) digits), or as they are"
            )
        }
        return SecretBytes(copying: bytes)
    }

    /// An asset ID: text, or `0x` and hexadecimal digits.
    static func assetID(_ text: String, option: String) throws(CommandFailure) -> [UInt8] {
        guard text.hasPrefix("0x") else { return Array(text.utf8) }
        guard let bytes = TextEncodings.hexadecimal(text.utf8) else {
            throw .usage("\(option) begins with 0x, and what follows is not hexadecimal")
        }
        return bytes
    }

    /// `count` bytes that are no secret.
    static func bytes(_ text: String, option: String, count: Int) throws(CommandFailure) -> [UInt8] {
        guard let bytes = TextEncodings.hexadecimal(text.utf8), bytes.count == count else {
            throw .usage("\(option) takes \(count) bytes in hexadecimal", next: "give \(2 * count) digits")
        }
        return bytes
    }
}
