import FileWriting
import Foundation
import TextCoding

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
    /// The receivers of the inputs from the network, which continue while data is awaited.
    private var receivers: [String: DatagramReceiver] = [:]
    /// The number of lost packets from which on they are reported the next time.
    private var nextReport: [String: Int] = [:]
    private let idleTime: Double

    /// - Parameter idleTime: The time without data from the network after which a part ends, in seconds.
    init(stop: StopSignal, isEvent: Bool, idleTime: Double = DatagramSource.defaultIdleTime) {
        self.stop = stop
        self.idleTime = idleTime
        self.isEvent = isEvent
    }

    /// Opens an input for the first time.
    ///
    /// - Throws: ``InputFailure``, ``FileError``.
    func open(_ path: String) throws -> any MediaInput {
        paths.append(path)
        if path == "-" { return try MediaInputs.open(PipeReader(stop: stop)) }
        return try Self.canReopen(path) ? openAgain(path) : MediaInputs.open(path)
    }

    /// The total number of packets of the network that were lost.
    var lostPackets: Int { receivers.values.reduce(0) { $0 + $1.losses.total } }

    /// Returns warnings about packets that were lost since the last call. So that a bad network does not fill the log, they
    /// are reported each time that their number has doubled.
    func lossWarnings() -> [String] {
        receivers.sorted { $0.key < $1.key }.compactMap { path, receiver in
            let losses = receiver.losses
            guard losses.total >= nextReport[path, default: 1] else { return nil }
            nextReport[path] = 2 * losses.total
            return "\(receiver.address.name): \(losses)"
        }
    }

    /// True if the inputs can be opened again after they have ended.
    var canReopen: Bool { !stop.isStopped && !isEvent && !paths.contains("-") && paths.contains(where: Self.canReopen) }

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
                    input = try Self.canReopen(path) ? openAgain(path) : EndedInput(name: path)
                } catch let failure as InputFailure {
                    onWarning("\(failure)")
                }
            }
            if let input { inputs.append(input) }
        }
        return inputs
    }

    private func openAgain(_ path: String) throws -> any MediaInput {
        if NetworkAddress.isAddress(path) {
            let receiver =
                try receivers[path] ?? DatagramReceiver(NetworkAddress(parsing: path), stop: stop)
            receivers[path] = receiver
            return try MediaInputs.open(DatagramSource(receiver, idleTime: idleTime))
        }
        return try MediaInputs.open(PipeReader(path: path, stop: stop))
    }

    private static func canReopen(_ path: String) -> Bool { NetworkAddress.isAddress(path) || isPipe(path) }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

extension DatagramReceiver.Losses: CustomStringConvertible {
    /// The total number of packets.
    var total: Int { missing + overflowing + invalid }

    /// The numbers, in a sentence.
    var description: String {
        let parts = [
            missing > 0 ? "\(counted(missing, "RTP packet")) missing" : nil,
            overflowing > 0 ? "\(counted(overflowing, "datagram")) lost, because the packager is too slow" : nil,
            invalid > 0 ? "\(counted(invalid, "datagram")) without RTP and a transport stream (payload type 33)" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
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
