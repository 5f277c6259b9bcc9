import FileWriting
import Foundation
import MediaFormats

/// Opens inputs of all supported formats.
package enum MediaInputs {
    /// Opens an input: a file, which is mapped into memory; a named pipe; or `-` for standard input. The format is
    /// detected from the first bytes, not from the name.
    ///
    /// - Throws: ``InputFailure`` if the input cannot be packaged, with how to convert it; ``FileError``.
    package static func open(_ path: String) throws -> any MediaInput {
        if path == "-" { return try open(PipeReader()) }
        guard !NetworkAddress.isAddress(path) else {
            throw InputFailure(
                path.split(separator: "?")[0].description,
                "only a live run receives UDP and RTP, not a dry run: give a recording, or remove dry-run"
            )
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(.open, path: path, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw InputFailure(path, "the path is a folder; give the files in it")
        default: return try open(PipeReader(path: path))
        }
        let file = try MappedFile(path: path)
        let reader = MappedReader(file)
        if case .movie = try kind(of: reader) { return try MovieFileInput(file) }
        return try open(reader)
    }

    /// Opens an input that is read sequentially.
    ///
    /// - Throws: ``InputFailure`` if the input cannot be packaged, with how to convert it; ``FileError``.
    package static func open(_ source: any ByteSource) throws -> any MediaInput {
        switch try kind(of: source) {
        case .movie: return try MovieStreamInput(source)
        case .transportStream(let layout):
            let packets = TransportPacketHeader.packetSize
            return try TransportStreamInput(
                layout.distance == packets ? source : PacketSource(source, distance: layout.distance)
            )
        case .adts: return try ElementaryAudioInput<ADTSAudioFraming>(source)
        case .ac3: return try ElementaryAudioInput<AC3AudioFraming>(source)
        case .webVTT: return try WebVTTInput(source)
        case .unsupported(let reason): throw InputFailure(source.name, reason)
        }
    }

    private static func kind(of source: any ByteSource) throws -> InputKind {
        let head = try source.peek(InputKind.headSize)
        let tag = InputKind.tagSize(head)
        guard tag > 0 else {
            if let kind = InputKind(head) { return kind }
            let layout = PacketLayout(searching: try source.peek(InputKind.searchSize))
            return layout.map(InputKind.transportStream) ?? .unknown
        }
        // Cover art may be large, but at most 16 MiB are read ahead from a pipe.
        let behind = try source.peek(min(tag, 16 << 20) + InputKind.headSize).dropFirst(tag)
        guard !behind.isEmpty else {
            return .unsupported("the file is an ID3 tag without audio after it")
        }
        return InputKind(Array(behind), isTagged: true) ?? .unknown
    }
}
