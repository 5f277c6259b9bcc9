import Dispatch
import Synchronization
import ToolSupport
import VirtualDevice

/// A request that was created before the measurement, for one license or a batch for the keys of one playback.
struct PreparedRequest: Sendable {
    /// The index of the device in the population.
    let member: Int
    /// The indices of the requested assets, one license each.
    let assets: [Int]
    /// The session ID.
    let session: UInt64
    /// True if the request renews a lease (playback state 3).
    let isRenewal: Bool
    /// The request body: an SPC, or a batch of SPCs.
    let body: [UInt8]
    /// The key requests that open the CKCs in the response, one per asset; empty if CKCs are not checked.
    let requests: [KeyRequest]
    /// The playback token.
    var token: String?
}

/// The preparation of SPCs and tokens. Each SPC has a new R1, transaction ID and keys, as servers require.
struct LoadPreparation {
    let population: LoadPopulation
    let certificate: [UInt8]
    let versions: [UInt32]
    let assets: [String]
    /// The fraction of renewals, 0 to 1.
    let renewals: Double
    /// The number of licenses per request, at most the number of assets.
    let batch: Int
    /// True if to keep the key requests that open the CKCs.
    let keepsRequests: Bool

    /// Creates requests, using all processors. Consecutive requests come from different devices. The first request of a
    /// device is never a renewal.
    func requests(_ count: Int, progress: @escaping @Sendable (Int) -> Void) throws(CommandFailure) -> [PreparedRequest]
    {
        let assetIDs = assets.map { Array($0.utf8) }
        let devices = population.members.count
        let results = Mutex<[Result<[(Int, PreparedRequest)], FPSError>]>([])
        let total = Atomic(0)
        let workers = min(devices, 64)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            var own: [(Int, PreparedRequest)] = []
            own.reserveCapacity(count / workers + devices / workers + 1)
            let result = Result { () throws(FPSError) in
                for member in stride(from: worker, to: devices, by: workers) {
                    try create(member, count, assetIDs, into: &own)
                    progress(total.add(count / devices, ordering: .relaxed).newValue)
                }
                return own
            }
            results.withLock { $0.append(result) }
        }
        var ordered = [PreparedRequest?](repeating: nil, count: count)
        for result in results.withLock({ $0 }) {
            do {
                for (index, request) in try result.get() { ordered[index] = request }
            } catch {
                throw CommandFailure(refusal: error, of: "create an SPC")
            }
        }
        return ordered.compactMap { $0 }
    }

    /// Adds tokens to the requests, using all processors.
    func sign(_ requests: inout [PreparedRequest], progress: (Int) -> Void) async throws {
        guard population.tokens.isEnabled else { return }
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

    /// Returns the tokens of one device's requests.
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

    /// Creates the requests of one device, in the order in which they are sent.
    private func create(
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
            let assets = (0..<batch).map { (playing.asset + $0) % assetIDs.count }
            var keyRequests: [KeyRequest] = []
            for asset in assets {
                keyRequests.append(
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
                assets: assets,
                session: playing.session.id,
                isRenewal: isRenewal,
                body: batch == 1 ? keyRequests[0].spc : LoadBatch.body(keyRequests.map(\.spc)),
                requests: keepsRequests ? keyRequests : []
            )
            requests.append((index, prepared))
        }
    }
}
