import FPSCrypto
import Glibc

extension KeyEncryptionKey {
    /// Puts the key into a file of mode 0600, in the place of the one that is there.
    ///
    /// The former key is kept beside it, as the file's name with a dot and the key's ID in hexadecimal digits: backups
    /// that were made under it open with nothing else. At every moment the file holds one key, whole.
    ///
    /// - Returns: The file that has the former key; nil when there was none, or it was this one.
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` or ``KeyStoreError/Code/unsafePermissions`` when what is there is no
    ///   key; ``KeyStoreError/Code/unavailable``.
    @discardableResult
    public func install(file path: String) throws(KeyStoreError) -> String? {
        let former = try Self.load(file: path)
        guard former?.id != id else { return nil }
        var kept: String?
        if let former {
            let place = path + "." + hex(former.id)
            if link(path, place) != 0, errno != EEXIST { throw .system("link", place) }
            kept = place
        }
        var random = SecureRandom()
        let draft = path + ".\(random.next())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("create", draft) }
        defer { close(file) }
        let written = hexadecimal.withUnsafeBytes { write(file, $0.baseAddress, $0.count) == $0.count }
        guard written, fsync(file) == 0, rename(draft, path) == 0 else {
            let error = KeyStoreError.system("write", draft)
            unlink(draft)
            throw error
        }
        try Self.synchronizeFolder(of: path)
        return kept
    }
}
