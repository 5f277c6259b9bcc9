import FPSCrypto
import FileWriting
import Glibc
import TextCoding

extension KeyEncryptionKey {
    /// Writes the key to a file of mode 0600 and replaces the existing one.
    ///
    /// The old key is saved in the same folder, as the file's name with a dot and the key's ID in hexadecimal digits,
    /// because backups that were encrypted with it require it. At every point in time the file contains one complete
    /// key.
    ///
    /// - Returns: The path of the file with the old key; nil if there was no key, or if it is the same key.
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` or ``KeyStoreError/Code/unsafePermissions`` if the existing file
    ///   is not a valid key file; ``KeyStoreError/Code/unavailable`` if a system call fails.
    @discardableResult
    package func install(file path: String) throws(KeyStoreError) -> String? {
        let previous = try Self.load(file: path)
        guard previous?.id != id else { return nil }
        var savedPath: String?
        if let previous {
            // Link the file itself, because a link to a symbolic link would then refer to the new key.
            let target = try AtomicFile.target(of: path)
            guard case .regular(let file, _) = target else {
                throw KeyStoreError(.unavailable, place: path, reason: "it is not a regular file")
            }
            let place = file + "." + Hexadecimal.encode(previous.id)
            if link(file, place) != 0, errno != EEXIST { throw .system("link", place) }
            savedPath = place
        }
        let draft = try AtomicFile(for: path)
        defer { draft.remove() }
        try draft.write(hexadecimal)
        try draft.replace()
        return savedPath
    }
}
