import FPSCrypto
import Foundation
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// The token for the administration routes. It is stored in the data folder with mode 0600 and created at the first
/// start.
struct AdminTokenFile {
    let path: String

    init(folder: String) { path = folder + "/admin-token" }

    /// Reads the token, or creates one. The returned authenticator stores a hash of the token, not the token.
    func authenticator() throws -> SingleAdminToken {
        if let known = try read() { return known }
        var random = SecureRandom()
        let token = Hexadecimal.encode(random.bytes(24))
        let draft = try AtomicFile(for: path)
        defer { draft.remove() }
        try draft.write(SecretBytes(copying: Array((token + "\n").utf8)))
        do {
            try draft.publish()
        } catch {
            // When two servers start at the same time, one of them writes the file and both use its token.
            guard error.code == .conflict, let known = try read() else { throw error }
            return known
        }
        return SingleAdminToken(token)
    }

    private func read() throws -> SingleAdminToken? {
        guard let bytes = try SecretFile.readIfPresent(path, limit: 4_096) else { return nil }
        let token = String(decoding: bytes.reveal(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= 32 else {
            throw CommandFailure.input(
                "\(path) contains no valid token: fewer than 32 characters",
                next: "delete the file to create a new token"
            )
        }
        return SingleAdminToken(token)
    }
}
