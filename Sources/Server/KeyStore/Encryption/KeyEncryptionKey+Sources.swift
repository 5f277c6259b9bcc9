package import FPSCrypto
import Glibc

extension KeyEncryptionKey {
    /// Reads keys from an environment variable. Returns an empty list if the variable is not set.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` if the value is not a list of keys.
    static func fromEnvironment(_ variable: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        guard let value = getenv(variable) else { return [] }
        return try keys(
            in: UnsafeRawBufferPointer(start: value, count: strnlen(value, maximumText + 1)),
            place: "environment variable \(variable)"
        )
    }

    /// Reads the key from a file that contains one key. Returns nil if the file does not exist.
    ///
    /// - Throws: ``KeyStoreError/Code/unsafePermissions`` if users other than the owner can access the file,
    ///   ``KeyStoreError/Code/malformedKEK`` if it does not contain exactly one key, ``KeyStoreError/Code/unavailable``
    ///   if it cannot be read.
    package static func load(file path: String) throws(KeyStoreError) -> KeyEncryptionKey? {
        let keys = try loadAll(file: path)
        guard keys.count <= 1 else {
            throw KeyStoreError(.malformedKEK, place: path, reason: "expected one key, not \(keys.count)")
        }
        return keys.first
    }

    /// Reads the keys from a file, in order. Returns an empty list if the file does not exist.
    ///
    /// - Throws: The same errors as ``load(file:)``.
    static func loadAll(file path: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        let text: SecretBytes?
        do throws(SecretFileError) {
            text = try SecretFile.readIfPresent(path, limit: maximumText)
        } catch {
            if case .tooLong = error.problem {
                throw KeyStoreError(
                    .malformedKEK,
                    place: path,
                    reason: "expected at most \(maximumCount) keys of 64 digits"
                )
            }
            throw KeyStoreError(error)
        }
        guard let text else { return [] }
        return try text.withUnsafeBytes { bytes throws(KeyStoreError) in try keys(in: bytes, place: path) }
    }

    /// Creates a key and stores it in a new file of mode 0600.
    ///
    /// The file appears complete or not at all: another process never reads half a key, and a power failure leaves no
    /// incomplete file.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the file exists, ``KeyStoreError/Code/unavailable`` if a system
    ///   call fails.
    package static func create(file path: String) throws(KeyStoreError) -> KeyEncryptionKey {
        let key = try generate()
        let draft = try AtomicFile(for: path)
        defer { draft.remove() }
        try draft.write(key.hexadecimal)
        try draft.publish()
        return key
    }
}

extension KeyStoreError {
    /// Creates an error from a secret file's error.
    package init(_ error: SecretFileError) {
        let code: Code =
            switch error.problem {
            case .notRegular, .owner, .mode: .unsafePermissions
            case .missing, .unreadable, .tooLong, .empty: .unavailable
            }
        let remedy = error.remedy.map { "; \($0)" } ?? ""
        self.init(code, place: error.path, reason: "it \(error.reason)\(remedy)")
    }

    /// Creates the error of a failed system call on a file, from `errno`.
    package static func system(_ call: String, _ path: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: path, reason: "\(call): \(String(cString: strerror(errno)))")
    }
}
