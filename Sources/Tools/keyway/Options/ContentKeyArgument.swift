import ArgumentParser
import DRMSignaling
import FPSCrypto
import MediaDecryption
import MediaFormats
import Packager
import SampleEncryption
import TextCoding
import ToolSupport

/// A content key on the command line, or the path of a file with keys.
///
///     argument = key | "@" FILE                FILE: one key per line; # starts a comment
///     key      = KID ":" KEY [ ":" IV ]        each in hexadecimal
///
/// The argument parser does not parse the key, because its error messages repeat the argument.
struct ContentKeyArgument: ExpressibleByArgument, Sendable {
    private let text: String

    init(argument: String) { text = argument }

    /// Returns the key.
    ///
    /// - Parameter option: The option's name, for error messages.
    /// - Throws: A failure whose message does not contain the key.
    func key(option: String) throws(CommandFailure) -> PackagingKey {
        let keys = try keys(option: option)
        guard let key = keys.first, keys.count == 1 else {
            throw .input("\(option): \(text.dropFirst()) contains \(counted(keys.count, "key")); expected one")
        }
        return key
    }

    /// Returns the key, or the keys in the file.
    ///
    /// - Parameter option: The option's name, for error messages.
    /// - Throws: A failure whose message does not contain a key.
    func keys(option: String) throws(CommandFailure) -> [PackagingKey] {
        guard text.hasPrefix("@") else {
            do throws(SignalingError) {
                return [try PackagingKey(parsing: text, option: option)]
            } catch {
                throw .usage("\(error)")
            }
        }
        let path = String(text.dropFirst())
        let content = String(decoding: try InputFile.readSecret(path), as: UTF8.self)
        var keys: [PackagingKey] = []
        for (index, line) in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let key = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
            guard !key.isEmpty else { continue }
            do throws(SignalingError) {
                keys.append(try PackagingKey(parsing: key, option: "line \(index + 1) of \(path)"))
            } catch {
                throw .input("\(error)")
            }
        }
        return keys
    }
}

extension DecryptionKeys {
    /// Collects the keys of an option.
    ///
    /// - Throws: A failure whose message does not contain a key.
    init(_ arguments: [ContentKeyArgument], option: String) throws(CommandFailure) {
        var keys: [PackagingKey] = []
        for argument in arguments { keys += try argument.keys(option: option) }
        do throws(SignalingError) {
            _ = try PackagingKey.index(keys)
        } catch {
            throw .usage("\(error)")
        }
        self.init(try keys.map { key throws(CommandFailure) in try Self.entry(key, option) })
    }

    private static func entry(
        _ key: PackagingKey,
        _ option: String
    ) throws(CommandFailure) -> (id: KeyID, key: DecryptionKey) {
        guard let id = KeyID(key.keyID.bytes) else { throw .usage("\(option): a key ID must have 16 bytes") }
        do throws(SampleEncryptionError) {
            let iv = try key.iv.map { iv throws(SampleEncryptionError) in try CipherIV(iv.reveal()) }
            return (id, DecryptionKey(key: key.key, iv: iv))
        } catch {
            throw .usage("the IV of \(option): \(error)")
        }
    }
}
