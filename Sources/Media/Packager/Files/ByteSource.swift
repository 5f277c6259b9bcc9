import FileWriting

/// The bytes of an input, read sequentially: from a mapped file or a pipe.
package protocol ByteSource: AnyObject {
    /// The name of the input in error messages: the path, or `standard input`.
    var name: String { get }

    /// The size in bytes; nil for a pipe.
    var byteCount: Int? { get }

    /// The number of bytes read so far.
    var position: Int { get }

    /// Returns the first bytes without consuming them; fewer at the end of the input. Must be called before
    /// ``next(_:)``.
    ///
    /// - Throws: ``FileError``.
    func peek(_ count: Int) throws -> [UInt8]

    /// Calls a closure with the next bytes, at least one. Returns false at the end.
    ///
    /// - Throws: ``FileError``; errors of `body`.
    func next(_ body: (RawSpan) throws -> Void) throws -> Bool
}

/// Reads a mapped file sequentially in chunks.
package final class MappedReader: ByteSource {
    /// The size of a chunk in bytes.
    static let chunkSize = 256 << 10

    private let file: MappedFile
    package private(set) var position = 0

    /// Creates a reader at the start of a file.
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
        let end = min(file.count, start + Self.chunkSize)
        guard start < end else { return false }
        position = end
        try file.withBytes { try body($0.extracting(start..<end)) }
        return true
    }
}
