import DRMSignaling
import FPSCrypto
import MediaDecryption
import MediaFormats
import Packager
import SampleEncryption
import ToolSupport

/// A parser for content keys on the command line: `KID:KEY[:IV]`, or `@FILE` with one key per line. The argument parser
/// does not parse them, because its error messages repeat the argument.
enum KeyArguments {
    /// Returns the keys, by key ID.
    ///
    /// - Throws: A failure of kind `usage`, whose message never contains a key.
    static func keys(_ texts: [String]) throws(CommandFailure) -> DecryptionKeys {
        var keys: [PackagingKey] = []
        for text in texts {
            guard text.hasPrefix("@") else {
                keys.append(try key(text, option: "--key"))
                continue
            }
            let path = String(text.dropFirst())
            let content = String(decoding: try InputFile.readSecret(path), as: UTF8.self)
            let lines = content.split(omittingEmptySubsequences: false) { $0.isNewline }
            for (index, line) in lines.enumerated() {
                let line = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
                let trimmed = line.filter { !$0.isWhitespace }
                if !trimmed.isEmpty { keys.append(try key(trimmed, option: "line \(index + 1) of \(path)")) }
            }
        }
        do throws(SignalingError) {
            _ = try PackagingKey.index(keys)
        } catch {
            throw .usage("\(error)")
        }
        return DecryptionKeys(try keys.map(entry))
    }

    private static func key(_ text: String, option: String) throws(CommandFailure) -> PackagingKey {
        do throws(SignalingError) {
            return try PackagingKey(parsing: text, option: option)
        } catch {
            throw .usage("\(error)")
        }
    }

    private static func entry(_ key: PackagingKey) throws(CommandFailure) -> (id: KeyID, key: DecryptionKey) {
        guard let id = KeyID(key.keyID.bytes) else { throw .usage("--key: a key ID must have 16 bytes") }
        do throws(SampleEncryptionError) {
            let iv = try key.iv.map { iv throws(SampleEncryptionError) in try CipherIV(iv.reveal()) }
            return (id, DecryptionKey(key: key.key, iv: iv))
        } catch {
            throw .usage("the IV of --key: \(error)")
        }
    }
}
