/// Why a store did not do what it was asked: a stable code, the place, and a reason for people.
///
/// A record that is not there is no error: the functions that look one up return nil. The text names tables, rows and
/// files, and never holds what is in them, so that it may be logged. Two errors are equal when their codes are.
package struct KeyStoreError: Error, Sendable {
    /// What went wrong.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        package let rawValue: String

        /// Makes a code from its stable name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        package var description: String { rawValue }

        /// A field of a record has a size or value that the store does not take.
        package static let invalidRecord = Code(rawValue: "invalid-record")
        /// A record of that name is there already, or is still in use by another.
        package static let conflict = Code(rawValue: "conflict")
        /// The record names another that is not there.
        package static let missingReference = Code(rawValue: "missing-reference")
        /// Something stored is damaged or was tampered with: a sealed column does not open, or a value is impossible.
        package static let corrupt = Code(rawValue: "corrupt")
        /// Another process held the database for longer than the time-out.
        package static let locked = Code(rawValue: "locked")
        /// The data was sealed under another key-encryption key than the one given.
        package static let wrongKEK = Code(rawValue: "wrong-kek")
        /// There is no key-encryption key where one was expected.
        package static let missingKEK = Code(rawValue: "missing-kek")
        /// The key-encryption key is there and is not 64 hexadecimal digits.
        package static let malformedKEK = Code(rawValue: "malformed-kek")
        /// Others than the owner may read or change a file that holds secrets.
        package static let unsafePermissions = Code(rawValue: "unsafe-permissions")
        /// There is no store, and what was asked does not create one.
        package static let missingStore = Code(rawValue: "missing-store")
        /// The file is no database of this program.
        package static let foreignDatabase = Code(rawValue: "foreign-database")
        /// A newer version of this program has changed the database.
        package static let newerSchema = Code(rawValue: "newer-schema")
        /// So much waits to be written that no more is taken.
        package static let overloaded = Code(rawValue: "overloaded")
        /// The task was cancelled before the store had answered.
        package static let cancelled = Code(rawValue: "cancelled")
        /// There is no room left on the disk that holds the database.
        package static let diskFull = Code(rawValue: "disk-full")
        /// The file system or the database failed.
        package static let unavailable = Code(rawValue: "unavailable")
    }

    /// What went wrong.
    package let code: Code
    /// The table and row, or the file.
    package let place: String
    /// What was found and what was expected, where that says more than the code does.
    package let reason: String?

    /// Makes an error.
    package init(_ code: Code, place: String, reason: String? = nil) {
        self.code = code
        self.place = place
        self.reason = reason
    }
}

extension KeyStoreError: Equatable {
    /// True when both errors have the same code, wherever they occurred.
    package static func == (left: KeyStoreError, right: KeyStoreError) -> Bool { left.code == right.code }
}

extension KeyStoreError: CustomStringConvertible {
    /// One line: the code, the place and the reason.
    package var description: String { "\(code) in \(place)" + (reason.map { ": \($0)" } ?? "") }
}
