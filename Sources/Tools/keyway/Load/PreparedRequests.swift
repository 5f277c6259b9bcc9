import Dispatch
import Synchronization
import VirtualDevice

/// A request for one license, or for those of several keys of one playback, that was made before the clock started.
struct PreparedRequest: Sendable {
    /// Which of the population's devices made it.
    let member: Int
    /// Which of the assets it asks for, one license each.
    let assets: [Int]
    /// The session ID.
    let session: UInt64
    /// Whether it renews a lease (playback state 3).
    let isRenewal: Bool
    /// What is sent: the SPC, or a batch of them.
    let body: [UInt8]
    /// What opens the answer, for each asset; only where somebody will.
    let requests: [KeyRequest]
    /// The playback token.
    var token: String?
}

/// Makes SPCs and tokens ahead: each SPC with R1, transaction and keys of its own, as every server must demand.
struct LoadPreparation {
    let population: LoadPopulation
    let certificate: [UInt8]
    let versions: [UInt32]
    let assets: [String]
    /// The share of renewals, 0 to 1.
    let renewals: Double
    /// How many licenses are asked for together, at most as many as there are assets.
    let batch: Int
    /// Whether answers will be opened.
    let keepsRequests: Bool

    /// Makes so many requests on all processors. One after the other comes from one device after the other; a device's
    /// first is never a renewal.
    func requests(_ count: Int, progress: @escaping @Sendable (Int) -> Void) throws(CommandFailure) -> [PreparedRequest]
    {
        let assetIDs = assets.map { Array($0.utf8) }
        let devices = population.members.count
        let made = Mutex<[Result<[(Int, PreparedRequest)], FPSError>]>([])
        let total = Atomic(0)
        let workers = min(devices, 64)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            var own: [(Int, PreparedRequest)] = []
            own.reserveCapacity(count / workers + devices / workers + 1)
            let result = Result { () throws(FPSError) in
                for member in stride(from: worker, to: devices, by: workers) {
                    try make(member, count, assetIDs, into: &own)
                    progress(total.add(count / devices, ordering: .relaxed).newValue)
                }
                return own
            }
            made.withLock { $0.append(result) }
        }
        var ordered = [PreparedRequest?](repeating: nil, count: count)
        for result in made.withLock({ $0 }) {
            do {
                for (index, request) in try result.get() { ordered[index] = request }
            } catch {
                throw CommandFailure(refusal: error, of: "make an SPC")
            }
        }
        return ordered.compactMap { $0 }
    }

    /// Gives requests that were made here their tokens, on all processors.
    func sign(_ requests: inout [PreparedRequest], progress: (Int) -> Void) async throws {
        guard population.tokens.areWanted else { return }
        let unsigned = requests
        let devices = population.members.count
        let workers = min(devices, 64)
        var done = 0
        try await withThrowingTaskGroup(of: [(Int, String?)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var own: [(Int, String?)] = []
                    for member in stride(from: worker, to: devices, by: workers) {
                        own += try await tokens(of: member, unsigned)
                    }
                    return own
                }
            }
            for try await tokens in group {
                for (index, token) in tokens { requests[index].token = token }
                done += tokens.count
                progress(done)
            }
        }
    }

    /// The tokens of one device's requests.
    private func tokens(of member: Int, _ requests: [PreparedRequest]) async throws -> [(Int, String?)] {
        var tokens: [(Int, String?)] = []
        var last: String?
        for index in stride(from: member, to: requests.count, by: population.members.count) {
            let account = population.members[member].account
            last = try await population.tokens.token(account: account, last: requests[index].isRenewal ? last : nil)
            tokens.append((index, last))
        }
        return tokens
    }

    /// The requests of one device, in the order in which they will be sent.
    private func make(
        _ member: Int,
        _ count: Int,
        _ assetIDs: [[UInt8]],
        into requests: inout [(Int, PreparedRequest)]
    ) throws(FPSError) {
        let device = population.members[member].device
        var random = SystemRandomNumberGenerator()
        var playing: (session: FPSDevice.PlaybackSession, asset: Int)?
        for index in stride(from: member, to: count, by: population.members.count) {
            let isRenewal = playing != nil && Double.random(in: 0..<1, using: &random) < renewals
            if !isRenewal { playing = (device.beginSession(), Int.random(in: 0..<assetIDs.count, using: &random)) }
            guard let playing else { continue }
            let wanted = (0..<batch).map { (playing.asset + $0) % assetIDs.count }
            var made: [KeyRequest] = []
            for asset in wanted {
                made.append(
                    try device.makeSPC(
                        certificate: certificate,
                        assetID: assetIDs[asset],
                        versions: versions,
                        options: .init(
                            session: playing.session,
                            playbackState: isRenewal ? .leaseAboutToExpire : .readyToStart
                        )
                    )
                )
            }
            let prepared = PreparedRequest(
                member: member,
                assets: wanted,
                session: playing.session.id,
                isRenewal: isRenewal,
                body: batch == 1 ? made[0].spc : LoadBatch.body(made.map(\.spc)),
                requests: keepsRequests ? made : []
            )
            requests.append((index, prepared))
        }
    }
}
