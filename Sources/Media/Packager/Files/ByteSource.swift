import FileWriting

/// The bytes of an input from its first to its last: of a mapped file, or of a pipe.
package protocol ByteSource: AnyObject {
    /// What it is called in errors: the path, or `standard input`.
    var name: String { get }

    /// Its size in bytes; nil on a pipe.
    var byteCount: Int? { get }

    /// How many bytes were taken.
    var position: Int { get }

    /// The first bytes, which stay where they are; fewer when there are no more. To be asked before ``next(_:)``.
    ///
    /// - Throws: ``FileFailure``.
    func peek(_ count: Int) throws -> [UInt8]

    /// Lends the next bytes, at least one; false at the end.
    ///
    /// - Throws: ``FileFailure``; and what `body` throws.
    func next(_ body: (RawSpan) throws -> Void) throws -> Bool
}

/// Goes through a mapped file in pieces.
package final class MappedReader: ByteSource {
    /// How many bytes are lent at once.
    static let pieceSize = 256 << 10

    private let file: MappedFile
    package private(set) var position = 0

    /// Starts at the beginning of the file.
    package init(_ file: MappedFile) { self.file = file }

    package var name: String { file.path }
    package var byteCount: Int? { file.count }

    package func peek(_ count: Int) -> [UInt8] {
        file.withBytes { bytes in
            bytes.extracting(0..<min(count, bytes.byteCount)).withUnsafeBytes { [UInt8]($0) }
        }
    }

    package func next(_ body: (RawSpan) throws -> Void) rethrows -> Bool {
        let start = position
        let end = min(file.count, start + Self.pieceSize)
        guard start < end else { return false }
        position = end
        try file.withBytes { try body($0.extracting(start..<end)) }
        return true
    }
}
