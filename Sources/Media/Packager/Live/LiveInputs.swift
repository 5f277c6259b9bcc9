import FileWriting
import Foundation

/// The inputs of a live presentation, which may end, have discontinuities, and reconnect.
///
///     standard input    read to its end, which ends the presentation
///     a file            likewise
///     a named pipe      after its writer closes it, the next writer is awaited; an event ends instead
///
/// After a discontinuity, a transport stream is opened again at that point: data that was read ahead is lost up to the
/// next key frame. Fragmented MP4 has only one header, so reading continues.
final class LiveInputs {
    private let stop: StopSignal
    private let isEvent: Bool
    private var readers: [String: PipeReader] = [:]
    private var inputs: [String: any MediaInput] = [:]

    init(stop: StopSignal, isEvent: Bool) {
        self.stop = stop
        self.isEvent = isEvent
    }

    /// Opens an input, or continues reading it.
    ///
    /// - Throws: ``InputFailure``, ``FileError``.
    func open(_ path: String) throws -> any MediaInput {
        if let reader = readers[path], !reader.isAtEnd {
            if let movie = inputs[path] as? MovieStreamInput { return movie }
            return try store(path, try MediaInputs.open(reader))
        }
        guard path == "-" || Self.isPipe(path) else { return try store(path, try MediaInputs.open(path)) }
        let reader = try path == "-" ? PipeReader(stop: stop) : PipeReader(path: path, stop: stop)
        readers[path] = reader
        return try store(path, try MediaInputs.open(reader))
    }

    /// Returns whether more data can follow after a pipeline has finished.
    ///
    /// - Parameter afterDiscontinuity: Whether the pipeline finished at a discontinuity.
    func shouldContinue(afterDiscontinuity: Bool) -> Bool {
        if stop.isStopped { return false }
        if afterDiscontinuity { return true }
        return !isEvent && readers.contains { $0.key != "-" && $0.value.isAtEnd } && readers["-"] == nil
    }

    private func store(_ path: String, _ input: any MediaInput) throws -> any MediaInput {
        inputs[path] = input
        return input
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
