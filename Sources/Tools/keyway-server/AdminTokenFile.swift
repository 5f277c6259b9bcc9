import FPSCrypto
import Foundation
import KeyServer
import KeyStore
import TextCoding

/// The token for administration, kept in the data folder with mode 0600 and made at the first start.
struct AdminTokenFile {
    let path: String

    init(folder: String) { path = folder + "/admin-token" }

    /// Reads the token, or makes one. What comes of it knows the token and does not hold it.
    func authenticator() throws -> SingleAdminToken {
        if let known = try read() { return known }
        var random = SecureRandom()
        let token = Hexadecimal.encode(random.bytes(24))
        let draft = try DraftFile(for: path)
        defer { draft.remove() }
        try draft.write(SecretBytes(copying: Array((token + "\n").utf8)))
        do {
            try draft.publish()
        } catch {
            // Of two servers that start together one writes it, and both have that one.
            guard error.code == .conflict, let known = try read() else { throw error }
            return known
        }
        return SingleAdminToken(token)
    }

    private func read() throws -> SingleAdminToken? {
        guard let bytes = try SecretFile.readIfPresent(path, limit: 4_096) else { return nil }
        let token = String(decoding: bytes.reveal(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= 32 else {
            throw CommandFailure("\(path) has no token in it: fewer than 32 characters; remove it to have one made")
        }
        return SingleAdminToken(token)
    }
}
