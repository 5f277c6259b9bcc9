/// An error of a store: a stable code, the place, and a reason for operators.
///
/// A record that does not exist is not an error: functions that look up a record return nil. The text names tables,
/// rows and files, but never contains their data, so that it can be logged. Two errors are equal if their codes are
/// equal.
package struct KeyStoreError: Error, Sendable {
    /// The kind of error.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        package let rawValue: String

        /// Creates a code from its stable name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        package var description: String { rawValue }

        /// A field of a record has a size or value that the store does not accept.
        package static let invalidRecord = Code(rawValue: "invalid-record")
        /// A record of that name already exists, or another record still refers to it.
        package static let conflict = Code(rawValue: "conflict")
        /// The record refers to another record that does not exist.
        package static let missingReference = Code(rawValue: "missing-reference")
        /// Stored data is damaged or was tampered with: an encrypted column cannot be decrypted, or a value is
        /// impossible.
        package static let corrupt = Code(rawValue: "corrupt")
        /// Another process has locked the database for longer than the timeout.
        package static let locked = Code(rawValue: "locked")
        /// The data was encrypted with a different key-encryption key.
        package static let wrongKEK = Code(rawValue: "wrong-kek")
        /// The key-encryption key does not exist.
        package static let missingKEK = Code(rawValue: "missing-kek")
        /// The key-encryption key is not 64 hexadecimal digits.
        package static let malformedKEK = Code(rawValue: "malformed-kek")
        /// Users other than the owner can read or change a file that contains secrets.
        package static let unsafePermissions = Code(rawValue: "unsafe-permissions")
        /// The store does not exist, and the operation does not create it.
        package static let missingStore = Code(rawValue: "missing-store")
        /// The file is not a database of this program.
        package static let foreignDatabase = Code(rawValue: "foreign-database")
        /// A newer version of this program has changed the database.
        package static let newerSchema = Code(rawValue: "newer-schema")
        /// A development version of this program, from before its first release, created the database.
        package static let unreleasedSchema = Code(rawValue: "unreleased-schema")
        /// Too many writes are waiting.
        package static let overloaded = Code(rawValue: "overloaded")
        /// The task was cancelled before the store had responded.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The disk that contains the database is full.
        package static let diskFull = Code(rawValue: "disk-full")
        /// The file system or the database failed.
        package static let unavailable = Code(rawValue: "unavailable")
    }

    /// The kind of error.
    package let code: Code
    /// The table and row, or the file, that the error concerns.
    package let place: String
    /// The actual and expected values, if they add to the code.
    package let reason: String?

    /// Creates an error.
    package init(_ code: Code, place: String, reason: String? = nil) {
        self.code = code
        self.place = place
        self.reason = reason
    }
}

extension KeyStoreError {
    /// The table by which a database of an unreleased schema is recognized. No released schema has it.
    package static let unreleasedTable = "sealing"

    /// The error for a database with tables of before the first release.
    package static func unreleasedSchema(_ place: String) -> KeyStoreError {
        KeyStoreError(
            .unreleasedSchema,
            place: place,
            reason: "a development version of keyway-server created it, and this version cannot read its tables; "
                + "export the keys with that version (keyway-server keys export), create a store in another place "
                + "(keyway-server init), add the certificates and policies, and import the keys "
                + "(keyway-server keys import)"
        )
    }

    /// The error for a record that already exists and must not be replaced.
    package static func exists(_ place: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: place, reason: "it already exists")
    }
}

extension KeyStoreError: Equatable {
    /// Returns whether both errors have the same code, regardless of their places.
    package static func == (left: KeyStoreError, right: KeyStoreError) -> Bool { left.code == right.code }
}

extension KeyStoreError: CustomStringConvertible {
    /// One line: the code, the place and the reason.
    package var description: String { "\(code) in \(place)" + (reason.map { ": \($0)" } ?? "") }
}
