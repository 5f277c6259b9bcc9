import FileAccess
import NIOCore

extension FolderFile {
    /// Reads bytes of a range; fewer at the end of the file.
    ///
    /// - Throws: ``FolderError``.
    func bytes(_ range: Range<Int>) throws(FolderError) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        var result: Result<Int, FolderError> = .success(0)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
            let target = UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count])
            result = Result { () throws(FolderError) in try read(into: target, at: range.lowerBound) }
            return (try? result.get()) ?? 0
        }
        _ = try result.get()
        return buffer
    }
}
