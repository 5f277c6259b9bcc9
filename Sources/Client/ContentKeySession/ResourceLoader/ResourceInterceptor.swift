/// Answers for resources that a player cannot load by itself.
public protocol ResourceInterceptor: Sendable {
    /// Whether an address is one that this answers for. The player asks, and waits for the answer.
    func intercepts(_ url: String) -> Bool

    /// Answers a request for such an address.
    ///
    /// - Throws: ``ResourceError``. It ends soon after its task is cancelled.
    func answer(_ request: ResourceRequest) async throws(ResourceError) -> ResourceAnswer
}
