import ArgumentParser
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServer
import TextCoding

/// A secret on the command line: hexadecimal digits, or `@` and a file that holds them. A command line can be read by
/// everybody on the machine for as long as the command runs, so secrets are better given as a file.
///
/// It is not read by the argument parser, whose errors repeat what was typed.
struct SecretArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) { text = argument }

    /// The secret.
    ///
    /// - Throws: ``SecretFileError`` when its file is not used; `ValidationError` when it has another size.
    func secret(_ count: Int, _ option: String) throws -> SecretBytes {
        let digits: String
        if text.hasPrefix("@") {
            let content = try SecretFile.readText(String(text.dropFirst())).reveal()
            digits = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            digits = text
        }
        guard let bytes = Hexadecimal.decode(digits) else {
            throw ValidationError("\(option) takes \(2 * count) hexadecimal digits, or @ and a file with them.")
        }
        return SecretBytes(copying: try HexArgument(bytes: bytes).requireCount(count, option))
    }
}

/// Bytes on the command line that are not secret: hexadecimal digits, or `@` and a file that holds them.
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

    /// The bytes, if there are so many.
    func requireCount(_ count: Int, _ option: String) throws -> [UInt8] {
        guard bytes.count == count else {
            throw ValidationError(
                "\(option) takes \(2 * count) hexadecimal digits, \(count) bytes; these are \(bytes.count)."
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

/// The bytes of a file.
func contents(ofFile path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandFailure("\(path) cannot be read; check the name and its permissions", kind: .file)
    }
    return [UInt8](data)
}

/// Warns of a file that holds keys and that others can read. It is data to be imported, not a secret of the server's own, and
/// comes from anywhere: a pipe or standard input too.
func warnOfOpenFile(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    do throws(SecretFileError) { try SecretFile.check(file, path) } catch {
        if error.problem != .notRegular { tell("warning: \(error)") }
    }
}

/// A moment on the command line: ISO 8601 with a time zone, or Unix seconds.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        guard let seconds = Int64(argument) ?? UnixTime.seconds(iso8601: argument) else { return nil }
        self.seconds = seconds
    }
}
