import FPSCrypto
import Foundation
import KeyServer

/// The token for administration, kept in the data folder with mode 0600 and made at the first start.
struct AdminTokenFile {
    let path: String

    init(folder: String) { path = folder + "/admin-token" }

    /// Reads the token, or makes one. What comes of it knows the token and does not hold it.
    func authenticator() throws -> SingleAdminToken {
        if let text = try? String(contentsOfFile: path, encoding: .utf8) {
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard token.utf8.count >= 32 else {
                throw CommandFailure("\(path) holds no token; remove it to have one made")
            }
            return SingleAdminToken(token)
        }
        var random = SecureRandom()
        let token = random.bytes(24).map { String(format: "%02x", $0) }.joined()
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CommandFailure("\(path) cannot be made: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let text = Array((token + "\n").utf8)
        guard write(file, text, text.count) == text.count else { throw CommandFailure("\(path) cannot be written") }
        return SingleAdminToken(token)
    }
}
