import ArgumentParser
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServer
import TextCoding

/// A secret on the command line: hexadecimal digits, or `@` and the path of a file that contains them. Other users of
/// the machine can read a command line while the command runs, so a file is the safer choice.
///
/// The argument parser does not parse the digits, because its error messages repeat the argument.
struct SecretArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) { text = argument }

    /// Returns the secret.
    ///
    /// - Parameters:
    ///   - count: The required size, in bytes.
    ///   - option: The option's name, for error messages.
    /// - Throws: ``SecretFileError`` if the file cannot be used, `ValidationError` if the value is not hexadecimal or
    ///   has a different size.
    func secret(_ count: Int, _ option: String) throws -> SecretBytes {
        let digits: String
        if text.hasPrefix("@") {
            let content = try SecretFile.readText(String(text.dropFirst())).reveal()
            digits = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            digits = text
        }
        guard let bytes = Hexadecimal.decode(digits) else {
            throw ValidationError("\(option) expects \(2 * count) hexadecimal digits, or @FILE.")
        }
        return SecretBytes(copying: try HexArgument(bytes: bytes).requireCount(count, option))
    }
}

/// Bytes on the command line that are not secret: hexadecimal digits, or `@` and the path of a file that contains them.
struct HexArgument: ExpressibleByArgument {
    let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    init?(argument: String) {
        var digits = argument
        if argument.hasPrefix("@") {
            guard let text = try? String(contentsOfFile: String(argument.dropFirst()), encoding: .utf8) else {
                return nil
            }
            digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let bytes = Hexadecimal.decode(digits) else { return nil }
        self.bytes = bytes
    }

    /// Returns the bytes if their count equals `count`; throws a `ValidationError` otherwise.
    func requireCount(_ count: Int, _ option: String) throws -> [UInt8] {
        guard bytes.count == count else {
            throw ValidationError(
                "\(option) expects \(2 * count) hexadecimal digits (\(count) bytes), not \(bytes.count) bytes."
            )
        }
        return bytes
    }
}

/// An asset ID on the command line: text, or `0x` and hexadecimal digits.
struct AssetArgument: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        if argument.hasPrefix("0x"), let bytes = Hexadecimal.decode(String(argument.dropFirst(2))) {
            self.bytes = bytes
        } else {
            bytes = Array(argument.utf8)
        }
    }
}

/// Returns the bytes of a file.
func contents(ofFile path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandFailure("\(path) cannot be read; check the name and its permissions", kind: .file)
    }
    return [UInt8](data)
}

/// Prints a warning if other users can read a file that contains keys. The keys are data to import, not a secret of the
/// server, so the file can also be a pipe or standard input.
func warnOfOpenFile(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    do throws(SecretFileError) { try SecretFile.check(file, path) } catch {
        if error.problem != .notRegular { printToStandardError("warning: \(error)") }
    }
}

/// A point in time on the command line: ISO 8601 with a time zone, or Unix seconds.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        guard let seconds = Int64(argument) ?? UnixTime.seconds(iso8601: argument) else { return nil }
        self.seconds = seconds
    }
}
