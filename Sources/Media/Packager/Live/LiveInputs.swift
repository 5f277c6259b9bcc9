import FileWriting
import Foundation

/// The inputs of a live presentation, which may end and reconnect.
///
///     standard input    read to its end, which ends the presentation
///     a file            likewise
///     a named pipe      after its writer closes it, the next writer is awaited; an event ends instead
///     UDP, RTP          after some seconds without data, data is awaited
final class LiveInputs {
    private let stop: StopSignal
    private let isEvent: Bool
    /// The paths, in the order in which they were opened.
    private var paths: [String] = []
    /// The inputs from the network, by path.
    private var channels: [String: NetworkChannel] = [:]
    private let idleTime: Duration
    /// The last failure of an input whose data broke off at the start.
    private var earlyFailure: InputFailure?

    /// - Parameter idleTime: The time without data from the network after which a part ends.
    init(stop: StopSignal, isEvent: Bool, idleTime: Duration = DatagramSource.defaultIdleTime) {
        self.stop = stop
        self.idleTime = idleTime
        self.isEvent = isEvent
    }

    /// Opens an input for the first time. If data of the network breaks off at once, the next is awaited.
    ///
    /// - Throws: ``InputFailure``, ``FileError``.
    func open(_ path: String) throws -> any MediaInput {
        paths.append(path)
        if path == "-" { return try MediaInputs.open(PipeReader(stop: stop)) }
        guard Self.canReopen(path) else { return try MediaInputs.open(path) }
        while true {
            do {
                return try openAgain(path)
            } catch let failure as InputFailure {
                guard channels[path]?.isIncomplete == true, !stop.isStopped else { throw failure }
                earlyFailure = failure
            }
        }
    }

    /// The losses of the inputs from the network.
    var losses: NetworkLosses { channels.values.reduce(into: NetworkLosses()) { $0 += $1.losses } }

    /// Returns warnings about losses since the last call. So that a bad network does not fill the log, those of an input are
    /// reported each time that their number has doubled.
    func lossWarnings() -> [String] {
        defer { earlyFailure = nil }
        return [earlyFailure].compactMap { $0.map { "\($0)" } }
            + channels.keys.sorted().compactMap { channels[$0]?.takeWarning() }
    }

    /// True if the inputs can be opened again after they have ended.
    var canReopen: Bool { !stop.isStopped && !isEvent && !paths.contains("-") && paths.contains(where: Self.canReopen) }

    /// Waits for the next writers of the named pipes, and for data of the network. What cannot be packaged is skipped.
    ///
    /// - Parameter onWarning: Called with the reason for each writer that is skipped.
    /// - Returns: The inputs, in order; nil if a stop is requested. Files have no more tracks.
    /// - Throws: ``FileError``.
    func reopen(onWarning: (String) -> Void) throws -> [any MediaInput]? {
        var inputs: [any MediaInput] = []
        for path in paths {
            var input: (any MediaInput)?
            var last = channels[path]?.failure
            if let last { onWarning("\(last)") }
            while input == nil {
                guard !stop.isStopped else { return nil }
                do {
                    input = try Self.canReopen(path) ? openAgain(path) : EndedInput(name: path)
                } catch let failure as InputFailure {
                    guard !stop.isStopped else { return nil }
                    // A sender of the network does not stop, so the same reason would be repeated without an end.
                    if channels[path] == nil || failure != last { onWarning("\(failure)") }
                    last = failure
                }
            }
            if let input { inputs.append(input) }
        }
        return inputs
    }

    private func openAgain(_ path: String) throws -> any MediaInput {
        if NetworkAddress.isAddress(path) {
            let address = try NetworkAddress(parsing: path)
            var channel = try channels[path] ?? NetworkChannel(DatagramReceiver(address, stop: stop))
            defer { channels[path] = channel }
            return try channel.open(idleTime: idleTime)
        }
        return try MediaInputs.open(PipeReader(path: path, stop: stop))
    }

    private static func canReopen(_ path: String) -> Bool { NetworkAddress.isAddress(path) || isPipe(path) }

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
