import FileWriting
import Foundation
import MediaFormats

/// Opens inputs, whatever they are.
package enum MediaInputs {
    /// Opens an input: a file, which is mapped; a named pipe; or `-` for standard input. What it is shows in its first
    /// bytes, not in its name.
    ///
    /// - Throws: ``InputFailure`` for what cannot be packaged, with what to do about it; ``FileFailure``.
    package static func open(_ path: String) throws -> any MediaInput {
        if path == "-" { return try open(PipeReader()) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure(.open, path: path, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw InputFailure(path, "it is a folder; name the files in it")
        default: return try open(PipeReader(path: path))
        }
        let file = try MappedFile(path: path)
        let reader = MappedReader(file)
        if case .movie = try kind(of: reader) { return try MovieFileInput(file) }
        return try open(reader)
    }

    /// Opens an input that is read from its beginning to its end.
    ///
    /// - Throws: ``InputFailure`` for what cannot be packaged, with what to do about it; ``FileFailure``.
    package static func open(_ source: any ByteSource) throws -> any MediaInput {
        switch try kind(of: source) {
        case .movie: return try MovieStreamInput(source)
        case .transportStream: return try TransportStreamInput(source)
        case .adts: return try ElementaryAudioInput<ADTSAudioFraming>(source)
        case .ac3: return try ElementaryAudioInput<AC3AudioFraming>(source)
        case .webVTT: return try WebVTTInput(source)
        case .refused(let words): throw InputFailure(source.name, words)
        }
    }

    private static func kind(of source: any ByteSource) throws -> InputKind {
        let head = try source.peek(InputKind.headSize)
        let tag = InputKind.tagSize(head)
        guard tag > 0 else { return InputKind(head) }
        // Cover art may be large, but a pipe is not asked for more than 16 MiB at its beginning.
        let behind = try source.peek(min(tag, 16 << 20) + InputKind.headSize).dropFirst(tag)
        guard !behind.isEmpty else {
            return .refused("it is an ID3 tag without audio behind it")
        }
        return InputKind(Array(behind))
    }
}
