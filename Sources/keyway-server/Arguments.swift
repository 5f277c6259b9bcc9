import ArgumentParser
import DRMSignalling
import FPSCrypto
import Foundation
import KeyServer

/// Bytes on the command line: hexadecimal digits, or `@` and a file that holds them. What stands on a command line can
/// be read by everybody on the machine for as long as the command runs, so secrets are better given as a file.
struct HexArgument: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        var digits = argument
        if argument.hasPrefix("@") {
            guard let text = try? String(contentsOfFile: String(argument.dropFirst()), encoding: .utf8) else {
                return nil
            }
            digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let bytes = ContentDefaults.bytes(hexadecimal: digits) else { return nil }
        self.bytes = bytes
    }

    /// The bytes, to be kept secret.
    var secret: SecretBytes { SecretBytes(copying: bytes) }

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
        if argument.hasPrefix("0x"), let bytes = ContentDefaults.bytes(hexadecimal: String(argument.dropFirst(2))) {
            self.bytes = bytes
        } else {
            bytes = Array(argument.utf8)
        }
    }
}

/// The bytes of a file.
func contents(ofFile path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandFailure("\(path) cannot be read")
    }
    return [UInt8](data)
}

/// Something that stops a command, said in one line.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A moment on the command line: ISO 8601 with a time zone, or Unix seconds.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        guard let seconds = Int64(argument) ?? UnixTime.seconds(iso8601: argument) else { return nil }
        self.seconds = seconds
    }
}
