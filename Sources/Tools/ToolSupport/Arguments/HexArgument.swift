import ArgumentParser
package import CommandSupport
package import FPSCrypto
import Foundation
import TextCoding

/// A key or other bytes on the command line.
///
///     argument = HEX | "@" FILE
///
/// Spaces and a prefix `0x` are allowed in hexadecimal. A file contains the bytes in hexadecimal or binary. Other users
/// of the machine can read a command line while the command runs, so a file is the safer choice for a secret.
///
/// The argument parser does not parse the digits, because its error messages repeat the argument.
package struct HexArgument: ExpressibleByArgument, Sendable {
    private let text: String

    package init(argument: String) { text = argument }

    /// Returns a secret.
    ///
    /// - Parameters:
    ///   - count: The required size, in bytes.
    ///   - option: The option's name, for error messages.
    ///   - rules: The treatment of a file that others can read.
    /// - Throws: A failure whose message does not contain the argument.
    package func secret(
        _ count: Int,
        option: String,
        rules: InputFile.SecretRules = .warning
    ) throws(CommandFailure) -> SecretBytes {
        guard text.hasPrefix("@") else { return SecretBytes(copying: try digits(count, option)) }
        let path = String(text.dropFirst())
        let content = try InputFile.readSecret(path, rules: rules)
        return SecretBytes(copying: try Self.bytes(content, in: path, count, option))
    }

    /// Returns bytes that are not secret.
    ///
    /// - Parameters:
    ///   - count: The required size, in bytes.
    ///   - option: The option's name, for error messages.
    package func bytes(_ count: Int, option: String) throws(CommandFailure) -> [UInt8] {
        guard text.hasPrefix("@") else { return try digits(count, option) }
        let path = String(text.dropFirst())
        return try Self.bytes(InputFile.read(path), in: path, count, option)
    }

    private func digits(_ count: Int, _ option: String) throws(CommandFailure) -> [UInt8] {
        guard let bytes = Self.decode(text.utf8), bytes.count == count else {
            throw .usage(
                "\(option): expected \(counted(count, "byte")) in hexadecimal",
                next: "give \(2 * count) digits, or @FILE"
            )
        }
        return bytes
    }

    private static func bytes(
        _ content: [UInt8],
        in path: String,
        _ count: Int,
        _ option: String
    ) throws(CommandFailure) -> [UInt8] {
        if content.count == count { return content }
        guard let bytes = decode(content), bytes.count == count else {
            throw .input(
                "\(option): \(path) does not contain \(counted(count, "byte"))",
                next: "write them in hexadecimal (\(2 * count) digits) or binary"
            )
        }
        return bytes
    }

    /// Decodes hexadecimal in upper or lower case, with or without `0x`, with white space anywhere.
    ///
    /// - Returns: The bytes; nil if the text is empty or not hexadecimal.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits = text.filter { !($0 == 0x20 || (0x09...0x0d).contains($0)) }
        if digits.starts(with: Array("0x".utf8)) { digits.removeFirst(2) }
        return digits.isEmpty ? nil : Hexadecimal.decode(digits)
    }
}
