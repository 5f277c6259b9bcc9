import FPSCrypto
import Glibc

extension KeyEncryptionKey {
    /// Reads keys from an environment variable; none when it is not set.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK``.
    static func fromEnvironment(_ variable: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        guard let value = getenv(variable) else { return [] }
        return try keys(
            in: UnsafeRawBufferPointer(start: value, count: strnlen(value, maximumText + 1)),
            place: "environment variable \(variable)"
        )
    }

    /// Reads the key from a file that holds one; nil when there is no file.
    ///
    /// - Throws: ``KeyStoreError/Code/unsafePermissions`` when the file is not the server's own or when its group or
    ///   others may do anything with it, ``KeyStoreError/Code/malformedKEK`` also when it holds several,
    ///   ``KeyStoreError/Code/unavailable``.
    public static func load(file path: String) throws(KeyStoreError) -> KeyEncryptionKey? {
        let keys = try loadAll(file: path)
        guard keys.count <= 1 else {
            throw KeyStoreError(.malformedKEK, place: path, reason: "one key is expected here, not \(keys.count)")
        }
        return keys.first
    }

    /// Reads the keys from a file, in its order; none when there is no file.
    ///
    /// - Throws: as ``load(file:)``.
    static func loadAll(file path: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        let text: SecretBytes?
        do throws(SecretFile.Failure) {
            text = try SecretFile.read(path, limit: maximumText)
        } catch {
            throw KeyStoreError(error, path)
        }
        guard let text else { return [] }
        return try text.withUnsafeBytes { bytes throws(KeyStoreError) in try keys(in: bytes, place: path) }
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
    /// Why a key's file is not read.
    fileprivate init(_ failure: SecretFile.Failure, _ path: String) {
        switch failure {
        case .system(let call, let number):
            self.init(.unavailable, place: path, reason: "\(call): \(String(cString: strerror(number)))")
        case .unsafePermissions:
            self.init(
                .unsafePermissions,
                place: path,
                reason: "the key must be a plain file of the server's own user with mode 0600"
            )
        }
    }

    /// What a system call said about a file, from `errno`.
    package static func system(_ call: String, _ path: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: path, reason: "\(call): \(String(cString: strerror(errno)))")
    }
}
