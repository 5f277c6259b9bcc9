/// Why a store did not do what it was asked: a stable code, the place, and a reason for people.
///
/// A record that is not there is no error: the functions that look one up return nil. The text names tables, rows and
/// files, and never holds what is in them, so that it may be logged. Two errors are equal when their codes are.
public struct KeyStoreError: Error, Sendable {
    /// What went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// A field of a record has a size or value that the store does not take.
        public static let invalidRecord = Code(rawValue: "invalid-record")
        /// A record of that name is there already, or is still in use by another.
        public static let conflict = Code(rawValue: "conflict")
        /// The record names another that is not there.
        public static let missingReference = Code(rawValue: "missing-reference")
        /// Something stored is damaged or was tampered with: a sealed column does not open, or a value is impossible.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Another process held the database for longer than the time-out.
        public static let locked = Code(rawValue: "locked")
        /// The data was sealed under another key-encryption key than the one given.
        public static let wrongKEK = Code(rawValue: "wrong-kek")
        /// There is no key-encryption key where one was expected.
        public static let missingKEK = Code(rawValue: "missing-kek")
        /// The key-encryption key is there and is not 64 hexadecimal digits.
        public static let malformedKEK = Code(rawValue: "malformed-kek")
        /// Others than the owner may read or change a file that holds secrets.
        public static let unsafePermissions = Code(rawValue: "unsafe-permissions")
        /// There is no store, and what was asked does not create one.
        public static let missingStore = Code(rawValue: "missing-store")
        /// The file is no database of this program.
        public static let foreignDatabase = Code(rawValue: "foreign-database")
        /// A newer version of this program has changed the database.
        public static let newerSchema = Code(rawValue: "newer-schema")
        /// So much waits to be written that no more is taken.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The task was cancelled before the store had answered.
        public static let cancelled = Code(rawValue: "cancelled")
        /// There is no room left on the disk that holds the database.
        public static let diskFull = Code(rawValue: "disk-full")
        /// The file system or the database failed.
        public static let unavailable = Code(rawValue: "unavailable")
    }

    /// What went wrong.
    public let code: Code
    /// The table and row, or the file.
    public let place: String
    /// What was found and what was expected, where that says more than the code does.
    public let reason: String?

    /// Makes an error.
    public init(_ code: Code, place: String, reason: String? = nil) {
        self.code = code
        self.place = place
        self.reason = reason
    }
}

extension KeyStoreError: Equatable {
    /// True when both errors have the same code, wherever they occurred.
    public static func == (left: KeyStoreError, right: KeyStoreError) -> Bool { left.code == right.code }
}

extension KeyStoreError: CustomStringConvertible {
    /// One line: the code, the place and the reason.
    public var description: String { "\(code) in \(place)" + (reason.map { ": \($0)" } ?? "") }
}
