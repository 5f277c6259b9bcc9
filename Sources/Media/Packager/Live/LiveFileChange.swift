/// A change to the files of a live presentation, for a copy of the folder elsewhere. Changes are made in an order in which
/// a reader of the copy never finds a file that is missing.
package struct LiveFileChange: Sendable {
    /// The kind of change.
    package enum Kind: Sendable, Equatable {
        /// A range of bytes was written, which starts at 0 or where the previous one ended. The file is complete, or it
        /// grows.
        case written(Range<Int>, isComplete: Bool)
        /// A playlist or a manifest was replaced.
        case replaced([UInt8])
        /// The file was deleted.
        case deleted
    }

    /// The path relative to the presentation's folder.
    package var path: String
    /// The kind of change.
    package var kind: Kind

    package init(path: String, kind: Kind) { (self.path, self.kind) = (path, kind) }
}

/// Maintains a copy of the files of a live presentation, such as on a server.
package protocol LivePublisher: Sendable {
    /// Makes the copy equal to files that an earlier run has written.
    ///
    /// - Parameters:
    ///   - folder: The path of the presentation's folder.
    ///   - files: The paths of complete files relative to the folder, in the order in which they are to be copied.
    func begin(_ folder: String, files: [String]) async throws

    /// Adds a change, and returns at once.
    ///
    /// - Throws: The error of an earlier change that could not be copied.
    func add(_ change: LiveFileChange) throws

    /// Waits until all changes are copied.
    func finish() async throws
}
