import FileWriting
import Foundation

/// The inputs of a presentation without an end, which may end, break and come again.
///
///     standard input    read to its end, which ends the presentation
///     a file            likewise
///     a named pipe      when who wrote to it has gone, the next one is waited for; an event ends there
///
/// Where a transport stream does not go on from what was before, it is read anew from there: what was read ahead is lost,
/// up to the next key frame. Fragmented MP4 has its header once, and is read on.
final class LiveInputs {
    private let stop: StopSignal
    private let isEvent: Bool
    private var readers: [String: PipeReader] = [:]
    private var inputs: [String: any MediaInput] = [:]

    init(stop: StopSignal, isEvent: Bool) {
        self.stop = stop
        self.isEvent = isEvent
    }

    /// Opens an input, or takes it up again.
    ///
    /// - Throws: ``InputFailure``, ``FileFailure``.
    func open(_ path: String) throws -> any MediaInput {
        if let reader = readers[path], !reader.isAtEnd {
            if let movie = inputs[path] as? MovieStreamInput { return movie }
            return try keep(path, try MediaInputs.open(reader))
        }
        guard path == "-" || Self.isPipe(path) else { return try keep(path, try MediaInputs.open(path)) }
        let reader = try path == "-" ? PipeReader(stop: stop) : PipeReader(path: path, stop: stop)
        readers[path] = reader
        return try keep(path, try MediaInputs.open(reader))
    }

    /// Whether there is more to come when a pipeline has come to its end.
    ///
    /// - Parameter isBroken: Whether it has ended at a break.
    func goOn(isBroken: Bool) -> Bool {
        if stop.isStopped { return false }
        if isBroken { return true }
        return !isEvent && readers.contains { $0.key != "-" && $0.value.isAtEnd } && readers["-"] == nil
    }

    private func keep(_ path: String, _ input: any MediaInput) throws -> any MediaInput {
        inputs[path] = input
        return input
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
