import NIOCore
import NIOPosix
import TextCoding
import VirtualDevice

/// A load run: sends the prepared requests and counts the responses.
///
/// All its code except ``run()`` runs on one event loop. Therefore it can be Sendable without a lock.
final class LoadRun: @unchecked Sendable {
    struct Material: Sendable {
        let population: LoadPopulation
        let assets: [String]
        let requests: [PreparedRequest]
        /// The times at which the requests are due, in open loop.
        let arrivals: [Int64]
        /// True if fewer requests may have been prepared than the duration requires.
        let mayRunOut: Bool
    }

    private let target: LoadTarget
    private let plan: LoadPlan
    private let material: Material
    private let loop: any EventLoop
    private let server: ProcessTime?
    private let checksResponses: Bool
    private let trace: LoadTrace?
    private let progress: (LoadTally, Double) -> Void

    private var tally = LoadTally()
    private var free: [LoadConnection] = []
    private var busy: [ObjectIdentifier: LoadConnection] = [:]
    /// The number of connections that are open or being opened.
    private var connections = 0
    private var opening = 0
    private var next = 0
    private var due: Int
    private var outstanding = 0
    private var isOver = false
    private var hasFinished = false
    private var start = NIODeadline.uptimeNanoseconds(0)
    /// The difference between the system's clock and that of the event loop, in seconds.
    private var epoch = 0.0
    /// The processor time used before the measurement, in seconds.
    private var cpuAtStart: (server: Double?, own: Double) = (nil, 0)
    private let finished: EventLoopPromise<LoadTally>

    init(
        target: LoadTarget,
        plan: LoadPlan,
        material: Material,
        on loop: any EventLoop,
        server: ProcessTime?,
        checksResponses: Bool,
        trace: LoadTrace?,
        progress: @escaping (LoadTally, Double) -> Void
    ) {
        self.target = target
        self.plan = plan
        self.material = material
        self.loop = loop
        self.server = server
        self.checksResponses = checksResponses
        self.trace = trace
        self.progress = progress
        due = plan.pace == .closed ? material.requests.count : 0
        finished = loop.makePromise()
    }

    /// Runs to the end. Fails if no connection can be opened at the start.
    func run() async throws -> LoadTally {
        let first = try await LoadConnection.open(target, on: loop).get()
        return try await loop.flatSubmit {
            self.begin(with: first)
            return self.finished.futureResult
        }.get()
    }

    private func begin(with first: LoadConnection) {
        start = .now()
        epoch = LoadClock.now - Double(start.uptimeNanoseconds) / 1e9
        connections = 1
        adopt(first)
        startClock()
        if plan.warmUp > 0 { at(plan.warmUp) { self.startClock() } }
        at(plan.length) { self.close() }
        let timeouts = loop.scheduleRepeatedTask(initialDelay: .milliseconds(200), delay: .milliseconds(200)) { _ in
            self.checkTimeouts()
        }
        finished.futureResult.whenComplete { _ in timeouts.cancel() }
        if plan.pace == .closed { dispatch() } else { tick() }
    }

    private func startClock() { cpuAtStart = (server?.seconds, ProcessTime.own) }

    private func at(_ seconds: Double, _ body: @escaping () -> Void) {
        loop.assumeIsolated().scheduleTask(deadline: start + .nanoseconds(Int64(seconds * 1e9)), body)
    }

    // MARK: Sending

    /// Open loop: determines the requests that are due, and schedules the next call.
    private func tick() {
        guard !isOver else { return }
        let elapsed = (NIODeadline.now() - start).nanoseconds
        while due < material.arrivals.count, material.arrivals[due] <= elapsed { due += 1 }
        dispatch()
        guard due < material.arrivals.count else { return }
        at(Double(material.arrivals[due]) / 1e9) { self.tick() }
    }

    private func dispatch() {
        let end = min(due, material.requests.count)
        while !isOver, next < end, let connection = free.popLast() {
            if connection.isFree { send(next, on: connection) }
        }
        // Connections that are being opened will send the waiting requests.
        let wanted = min(plan.connections - connections, end - next - opening)
        if !isOver, wanted > 0 { open(wanted) }
        if material.mayRunOut, next >= material.requests.count, outstanding == 0, !isOver {
            tally.ranOut = true
            close()
        }
        if isOver, outstanding == 0 { finish() }
    }

    private func open(_ count: Int) {
        for _ in 0..<count {
            connections += 1
            opening += 1
            LoadConnection.open(target, on: loop).assumeIsolated().whenComplete { result in
                guard case .success(let connection) = result else { return self.openLater() }
                self.opening -= 1
                self.adopt(connection)
                self.dispatch()
            }
        }
    }

    /// Retries with a delay, because the server may be restarting.
    private func openLater() {
        loop.assumeIsolated().scheduleTask(in: .milliseconds(50)) {
            self.opening -= 1
            self.connections -= 1
            self.dispatch()
        }
    }

    private func adopt(_ connection: LoadConnection) {
        free.append(connection)
        connection.onEnd = {
            self.connections -= 1
            self.busy[ObjectIdentifier(connection)] = nil
            self.free.removeAll { $0 === connection }
            self.dispatch()
        }
    }

    private func send(_ index: Int, on connection: LoadConnection) {
        next = index + 1
        outstanding += 1
        let request = material.requests[index]
        let sent = NIODeadline.now()
        let due = plan.pace == .closed ? sent : start + .nanoseconds(material.arrivals[index])
        busy[ObjectIdentifier(connection)] = connection
        let heads = LoadRequestHeads(authority: target.authority)
        let isBatch = request.assets.count > 1
        let head = isBatch ? heads.licenses(token: request.token) : heads.license(token: request.token)
        connection.send(head, body: request.body) { result in
            self.outstanding -= 1
            self.busy[ObjectIdentifier(connection)] = nil
            self.record(request, due: due, sent: sent, result)
            if connection.isFree { self.free.append(connection) }
            self.dispatch()
        }
    }

    // MARK: Counting

    private func record(
        _ request: PreparedRequest,
        due: NIODeadline,
        sent: NIODeadline,
        _ result: Result<LoadResponse, LoadFailure>
    ) {
        let now = NIODeadline.now()
        let response = try? result.get()
        let windowStart = start + .nanoseconds(Int64(plan.warmUp * 1e9))
        for (index, item) in items(of: result, request).enumerated() {
            var outcome = item.outcome
            var lease: Int64?
            if outcome == .granted, checksResponses { (outcome, lease) = check(item.ckc, request, index) }
            if let trace { trace.write(line(request, index, sent: sent, now: now, response, outcome, lease)) }
            guard due >= windowStart else { continue }
            tally.record(outcome, microseconds: UInt64((now - due).nanoseconds / 1000), inTime: !isOver)
        }
    }

    /// Returns the results of a request, one for each license.
    private func items(of result: Result<LoadResponse, LoadFailure>, _ request: PreparedRequest) -> [LoadBatch.Item] {
        let count = request.assets.count
        switch result {
        case .success(let response) where count > 1: return LoadBatch.items(of: response, count: count)
        case .success(let response): return [LoadBatch.Item(outcome: response.outcome, ckc: response.body)]
        case .failure(let failure):
            return [LoadBatch.Item](repeating: LoadBatch.Item(outcome: failure.outcome), count: count)
        }
    }

    private func check(_ ckc: [UInt8], _ request: PreparedRequest, _ index: Int) -> (LoadOutcome, Int64?) {
        let member = material.population.members[request.member]
        guard index < request.requests.count,
            let key = try? member.device.process(ckc: ckc, for: request.requests[index])
        else { return (.unusable, nil) }
        return (.granted, key.leaseEnd.map { $0 - member.clock.lastTime })
    }

    private func line(
        _ request: PreparedRequest,
        _ index: Int,
        sent: NIODeadline,
        now: NIODeadline,
        _ response: LoadResponse?,
        _ outcome: LoadOutcome,
        _ lease: Int64?
    ) -> LoadTraceLine {
        let member = material.population.members[request.member]
        return LoadTraceLine(
            sent: epoch + Double(sent.uptimeNanoseconds) / 1e9,
            received: epoch + Double(now.uptimeNanoseconds) / 1e9,
            account: material.population.accounts[member.account],
            device: member.number,
            session: Hexadecimal.encode(request.session, digits: 16),
            asset: material.assets[request.assets[index]],
            kind: request.isRenewal ? "renewal" : "start",
            status: outcome.status,
            requestId: response?.requestID,
            problem: outcome.problem,
            reason: outcome.reason,
            lease: lease
        )
    }

    // MARK: End

    private func checkTimeouts() {
        let now = NIODeadline.now()
        let limit = TimeAmount.nanoseconds(Int64(plan.timeout * 1e9))
        for connection in busy.values where connection.sent < now - limit { connection.timeOut() }
        trace?.flush()
        guard !isOver else { return }
        let elapsed = Double((now - start).nanoseconds) / 1e9
        tally.seconds = max(0, elapsed - plan.warmUp)
        progress(tally, min(1, elapsed / plan.length))
    }

    /// Stops sending, and waits for the responses to sent requests.
    private func close() {
        guard !isOver else { return }
        isOver = true
        tally.seconds = max(0, Double((NIODeadline.now() - start).nanoseconds) / 1e9 - plan.warmUp)
        // A run that ends in its warm-up has measured nothing.
        if tally.seconds > 0 {
            if let begin = cpuAtStart.server, let end = server?.seconds { tally.serverSeconds = end - begin }
            tally.ownSeconds = ProcessTime.own - cpuAtStart.own
        }
        tally.unused = max(0, material.requests.count - next)
        if plan.pace != .closed {
            let unsent = max(0, min(material.arrivals.count, material.requests.count) - next)
            tally.unused -= unsent
            if unsent > 0 { tally.outcomes[.notSent] = unsent * (material.requests.first?.assets.count ?? 1) }
        }
        if outstanding == 0 { finish() }
    }

    private func finish() {
        guard !hasFinished else { return }
        hasFinished = true
        for connection in free { connection.close() }
        free = []
        finished.succeed(tally)
    }
}
