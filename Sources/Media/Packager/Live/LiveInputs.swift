import FileWriting
import Foundation

/// The inputs of a live presentation, which may end and reconnect.
///
///     standard input    read to its end, which ends the presentation
///     a file            likewise
///     a named pipe      after its writer closes it, the next writer is awaited; an event ends instead
final class LiveInputs {
    private let stop: StopSignal
    private let isEvent: Bool
    /// The paths, in the order in which they were opened.
    private var paths: [String] = []

    init(stop: StopSignal, isEvent: Bool) {
        self.stop = stop
        self.isEvent = isEvent
    }

    /// Opens an input for the first time.
    ///
    /// - Throws: ``InputFailure``, ``FileError``.
    func open(_ path: String) throws -> any MediaInput {
        paths.append(path)
        if path == "-" { return try MediaInputs.open(PipeReader(stop: stop)) }
        return try Self.isPipe(path) ? openPipe(path) : MediaInputs.open(path)
    }

    /// True if the inputs can be opened again after they have ended.
    var canReopen: Bool { !stop.isStopped && !isEvent && !paths.contains("-") && paths.contains(where: Self.isPipe) }

    /// Waits for the next writers of the named pipes. What a writer has written is skipped if it cannot be packaged.
    ///
    /// - Parameter onWarning: Called with the reason for each writer that is skipped.
    /// - Returns: The inputs, in order; nil if a stop is requested. Inputs that are not pipes have no more tracks.
    /// - Throws: ``FileError``.
    func reopen(onWarning: (String) -> Void) throws -> [any MediaInput]? {
        var inputs: [any MediaInput] = []
        for path in paths {
            var input: (any MediaInput)?
            while input == nil {
                guard !stop.isStopped else { return nil }
                do {
                    input = try Self.isPipe(path) ? openPipe(path) : EndedInput(name: path)
                } catch let failure as InputFailure {
                    onWarning("\(failure)")
                }
            }
            if let input { inputs.append(input) }
        }
        return inputs
    }

    private func openPipe(_ path: String) throws -> any MediaInput {
        try MediaInputs.open(PipeReader(path: path, stop: stop))
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

/// An input that has been read to its end.
private final class EndedInput: MediaInput {
    let name: String
    let tracks: [MediaTrack] = []
    let warnings: [String] = []
    let byteCount: Int? = nil
    let position = 0

    init(name: String) { self.name = name }

    func next() -> InputEvent? { nil }
}
