/// An interceptor that provides the resources that a player cannot load itself.
public protocol ResourceInterceptor: Sendable {
    /// Returns whether this interceptor answers requests for an address. The player waits for the result.
    func intercepts(_ url: String) -> Bool

    /// Answers a request for an intercepted address.
    ///
    /// - Throws: ``ResourceError``. The call returns soon after its task is cancelled.
    func answer(_ request: ResourceRequest) async throws(ResourceError) -> ResourceResponse
}
