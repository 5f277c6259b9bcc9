/// Decides which requests share a round trip and when the round trip starts. A state machine: events in, actions out.
///
/// | Event | Condition | Action |
/// |---|---|---|
/// | keys are announced | they are to be preloaded | count them as expected; start the timer unless it runs |
/// | a request arrives | its key is needed now, and no requests are expected | send it at once, alone |
/// | a request arrives | its key is needed now, others are expected | send it and all waiting requests at once |
/// | a request arrives | it was announced, and its key is needed now | send it and all waiting requests at once |
/// | a request arrives | it was announced, and more are expected | it waits |
/// | a request arrives | it was the last expected request | send all waiting requests |
/// | a key becomes needed | its request waits here for others | send it and all waiting requests at once |
/// | an announcement is withdrawn | it was the last expected request | send all waiting requests |
/// | the timer expires | requests wait | send all waiting requests; no requests are expected any more |
///
/// The requests to send are divided into batches of `maximum`. A session does not request keys that it already has, so
/// an expected request may never arrive: the timer limits the wait.
struct BatchCollector<Request> {
    /// An action for the caller.
    enum Action {
        /// Sends these requests, each array in one round trip.
        case send([[Request]])
        /// Calls ``timerEnded(_:)`` with this number after the gathering time.
        case startTimer(Int)
    }

    let maximum: Int
    private var expected: Set<String> = []
    private var waiting: [Request] = []
    private var timer: Int?
    private var timers = 0

    init(maximum: Int) { self.maximum = max(1, maximum) }

    mutating func announce(_ identifiers: some Sequence<String>) -> [Action] {
        expected.formUnion(identifiers)
        guard !expected.isEmpty, timer == nil else { return [] }
        timers += 1
        timer = timers
        return [.startTimer(timers)]
    }

    /// Returns whether a request for this key was announced and has not arrived.
    func expects(_ identifier: String) -> Bool { expected.contains(identifier) }

    /// Returns the keys whose requests did not arrive before this timer expired.
    func stillExpected(_ number: Int) -> Set<String> { timer == number ? expected : [] }

    mutating func arrived(_ request: Request, for identifier: String, isAwaited: Bool = false) -> [Action] {
        waiting.append(request)
        let wasExpected = expected.remove(identifier) != nil
        return wasExpected && !expected.isEmpty && !isAwaited ? [] : sendAll()
    }

    /// Notes that the key of the request selected by `isIt` is needed now.
    mutating func awaited(_ isIt: (Request) -> Bool) -> [Action] { waiting.contains(where: isIt) ? sendAll() : [] }

    mutating func withdraw(_ identifiers: some Sequence<String>) -> [Action] {
        expected.subtract(identifiers)
        return expected.isEmpty && !waiting.isEmpty ? sendAll() : []
    }

    mutating func timerEnded(_ number: Int) -> [Action] {
        guard timer == number else { return [] }
        timer = nil
        expected = []
        return waiting.isEmpty ? [] : sendAll()
    }

    private mutating func sendAll() -> [Action] {
        if expected.isEmpty { timer = nil }
        defer { waiting = [] }
        return [
            .send(
                stride(from: 0, to: waiting.count, by: maximum).map {
                    Array(waiting[$0..<min($0 + maximum, waiting.count)])
                }
            )
        ]
    }
}
