import Locking

/// Resources of which the first segments and init segments are kept in memory until they are loaded a second time.
final class KeptResources: ValidationResources {
    private struct State {
        var kept: [StreamResourceRequest: LoadedResource] = [:]
        /// The number of bytes that may still be kept.
        var free: Int
    }

    private let resources: any ValidationResources
    private let state: Lock<State>

    /// Creates resources of which at most `limit` bytes are kept.
    init(_ resources: any ValidationResources, limit: Int) {
        self.resources = resources
        state = Lock(State(free: limit))
    }

    /// Returns a kept resource, which is then forgotten, or loads it.
    func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
        if let resource = state.withLock({ $0.kept.removeValue(forKey: request) }) { return resource }
        let resource = try await resources.load(request)
        guard request.purpose == .segment || request.purpose == .initialization else { return resource }
        state.withLock { state in
            guard resource.bytes.count <= state.free, state.kept[request] == nil else { return }
            state.free -= resource.bytes.count
            state.kept[request] = resource
        }
        return resource
    }

    /// Keeps no more resources: those that are loaded from now on are not needed again.
    func stopKeeping() { state.withLock { $0.free = 0 } }

    func observeTLS(of host: TLSHost) async -> TLSObservation? { await resources.observeTLS(of: host) }
}
