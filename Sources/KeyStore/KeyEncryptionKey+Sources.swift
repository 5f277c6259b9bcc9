import FPSCrypto
import Glibc

extension KeyEncryptionKey {
    /// Reads the key from an environment variable that holds 64 hexadecimal digits; nil when there is none.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK``.
    public static func fromEnvironment(_ variable: String) throws(KeyStoreError) -> KeyEncryptionKey? {
        guard let value = getenv(variable) else { return nil }
        return try KeyEncryptionKey(
            hexadecimal: UnsafeRawBufferPointer(start: value, count: strlen(value)),
            place: "environment variable \(variable)"
        )
    }

    /// Reads the key from a file that holds 64 hexadecimal digits; nil when there is no file.
    ///
    /// - Throws: ``KeyStoreError/Code/unsafePermissions`` when the file is not the server's own or when its group or
    ///   others may do anything with it, ``KeyStoreError/Code/malformedKEK``, ``KeyStoreError/Code/unavailable``.
    public static func load(file path: String) throws(KeyStoreError) -> KeyEncryptionKey? {
        // Not blocking, so that a named pipe in the key's place does not hang the start.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }

        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw KeyStoreError(
                .unsafePermissions,
                place: path,
                reason: "the key must be a plain file of the server's own user with mode 0600"
            )
        }

        // One byte more than a key has: a longer file is malformed, however long it is.
        var count = 0
        let text = SecretBytes(count: 66) { count = read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .system("read", path) }
        return try text.withUnsafeBytes { bytes throws(KeyStoreError) in
            try KeyEncryptionKey(hexadecimal: UnsafeRawBufferPointer(rebasing: bytes[..<count]), place: path)
        }
    }

    /// Makes a new key and keeps it in a new file of mode 0600.
    ///
    /// The file appears whole or not at all: another process never reads half a key, and a power failure leaves none.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when there is such a file, ``KeyStoreError/Code/unavailable``.
    public static func create(file path: String) throws(KeyStoreError) -> KeyEncryptionKey {
        let key = try generate()
        let draft = try DraftFile(for: path)
        defer { draft.remove() }
        try draft.write(key.hexadecimal)
        try draft.publish(as: path)
        return key
    }
}

extension KeyStoreError {
    /// What a system call said about a file, from `errno`.
    package static func system(_ call: String, _ path: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: path, reason: "\(call): \(String(cString: strerror(errno)))")
    }
}
