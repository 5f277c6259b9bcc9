/// Which requests go into a round trip together, and when it starts. Events in, actions out.
///
/// | Event | What is so | Action |
/// |---|---|---|
/// | keys are announced | they are to be preloaded | count them as expected; start the timer if none runs |
/// | a request arrives | it is for a key that somebody waits for, and none is expected | it goes at once, alone |
/// | a request arrives | it is for a key that somebody waits for, others are expected | it and all that wait go at once |
/// | a request arrives | it was announced, and somebody waits for it already | it and all that wait go at once |
/// | a request arrives | it was announced, more are expected | it waits |
/// | a request arrives | it was the last one expected | all that wait go |
/// | somebody begins to wait for a request | it waits here for others | it and all that wait go at once |
/// | an announcement is withdrawn | it was the last one expected | all that wait go |
/// | the timer ends | requests wait | all that wait go; nothing is expected any more |
///
/// What goes is cut into batches of `maximum`. A session does not ask for keys that it has, so that expected requests
/// may never arrive: hence the timer.
struct BatchCollector<Request> {
    /// What has to be done.
    enum Action {
        /// These go, each array in a round trip.
        case send([[Request]])
        /// Tell ``timerEnded(_:)`` this number after the time for gathering.
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

    /// Whether a request for that key would be one that was announced.
    func expects(_ identifier: String) -> Bool { expected.contains(identifier) }

    /// What that timer will have waited for in vain.
    func stillExpected(_ number: Int) -> Set<String> { timer == number ? expected : [] }

    mutating func arrived(_ request: Request, for identifier: String, isAwaited: Bool = false) -> [Action] {
        waiting.append(request)
        let wasExpected = expected.remove(identifier) != nil
        return wasExpected && !expected.isEmpty && !isAwaited ? [] : sendAll()
    }

    /// Somebody waits from now on for a request that `isIt` tells from the others.
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
