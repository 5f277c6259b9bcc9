import FPSCrypto
import FileWriting
import Glibc
import TextCoding

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
    package func install(file path: String) throws(KeyStoreError) -> String? {
        let former = try Self.load(file: path)
        guard former?.id != id else { return nil }
        var kept: String?
        if let former {
            // The file itself, since a link to it would lead to the new key.
            let target = try DraftFile.target(of: path)
            guard case .regular(let file, _) = target else {
                throw KeyStoreError(.unavailable, place: path, reason: "it is not a regular file")
            }
            let place = file + "." + Hexadecimal.encode(former.id)
            if link(file, place) != 0, errno != EEXIST { throw .system("link", place) }
            kept = place
        }
        let draft = try DraftFile(for: path)
        defer { draft.remove() }
        try draft.write(hexadecimal)
        try draft.replace()
        return kept
    }
}
