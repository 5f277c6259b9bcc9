package import FPSCrypto
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
    /// - Throws: ``KeyStoreError/Code/unsafePermissions`` when the file is open to others than its owner,
    ///   ``KeyStoreError/Code/malformedKEK`` also when it holds several, ``KeyStoreError/Code/unavailable``.
    package static func load(file path: String) throws(KeyStoreError) -> KeyEncryptionKey? {
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
        do throws(SecretFileError) {
            text = try SecretFile.readIfPresent(path, limit: maximumText)
        } catch {
            if case .tooLong = error.problem {
                throw KeyStoreError(.malformedKEK, place: path, reason: "more than \(maximumCount) keys of 64 digits")
            }
            throw KeyStoreError(error)
        }
        guard let text else { return [] }
        return try text.withUnsafeBytes { bytes throws(KeyStoreError) in try keys(in: bytes, place: path) }
    }

    /// Makes a new key and keeps it in a new file of mode 0600.
    ///
    /// The file appears whole or not at all: another process never reads half a key, and a power failure leaves none.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when there is such a file, ``KeyStoreError/Code/unavailable``.
    package static func create(file path: String) throws(KeyStoreError) -> KeyEncryptionKey {
        let key = try generate()
        let draft = try DraftFile(for: path)
        defer { draft.remove() }
        try draft.write(key.hexadecimal)
        try draft.publish()
        return key
    }
}

extension KeyStoreError {
    /// Why a file with a secret is not used.
    package init(_ error: SecretFileError) {
        let code: Code =
            switch error.problem {
            case .notRegular, .owner, .mode: .unsafePermissions
            case .missing, .unreadable, .tooLong, .empty: .unavailable
            }
        let remedy = error.remedy.map { "; \($0)" } ?? ""
        self.init(code, place: error.path, reason: "it \(error.reason)\(remedy)")
    }

    /// What a system call said about a file, from `errno`.
    package static func system(_ call: String, _ path: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: path, reason: "\(call): \(String(cString: strerror(errno)))")
    }
}
