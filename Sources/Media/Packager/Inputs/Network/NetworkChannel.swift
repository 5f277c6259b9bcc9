import FileWriting

/// An input from the network: its receiver, which continues while data is awaited, and its losses.
struct NetworkChannel {
    private let receiver: DatagramReceiver
    private var input: NetworkInput?
    /// The damage in earlier inputs of the channel.
    private var earlierDamage = 0
    /// The number of losses from which on they are reported the next time.
    private var nextReport = 1

    /// True if the data broke off, or a stop was requested, before the streams of the last input were identified.
    private(set) var isIncomplete = false

    /// Creates a channel of what a receiver receives.
    init(_ receiver: DatagramReceiver) { self.receiver = receiver }

    /// Waits for data, and reads the beginning of its transport stream.
    ///
    /// - Parameter idleTime: The time without data after which the input ends.
    /// - Throws: ``InputFailure``.
    mutating func open(idleTime: Duration) throws -> NetworkInput {
        earlierDamage += input?.damage ?? 0
        input = nil
        let source = DatagramSource(receiver, idleTime: idleTime)
        defer { isIncomplete = source.hasEnded && input == nil }
        do {
            let new = try NetworkInput(source)
            input = new
            return new
        } catch let failure as InputFailure {
            throw source.hasEnded && source.position == 0 ? InputFailure(source.name, "no data has arrived") : failure
        }
    }

    /// The failure that ended the last input; nil if it was read to its end.
    var failure: InputFailure? { input?.failure }

    /// The losses so far.
    var losses: NetworkLosses {
        var losses = receiver.losses
        losses.damaged = earlierDamage + (input?.damage ?? 0)
        return losses
    }

    /// Returns a warning if the number of losses has doubled since the last one.
    mutating func takeWarning() -> String? {
        let losses = losses
        guard losses.total >= nextReport else { return nil }
        nextReport = 2 * losses.total
        return "\(receiver.address.name): \(losses)"
    }
}
