/// A sender of HTTP requests: ``BoundedHTTP``, or a client that adds headers, cookies or proxies to it.
package protocol HTTPExchange: Sendable {
    /// Sends a request and reads the complete response before the timeout; see ``BoundedHTTP/send(_:while:)``.
    func send(
        _ request: BoundedHTTP.Request,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer

    /// Sends a request and waits for the head of the response; see ``BoundedHTTP/open(_:)``.
    func open(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head
}

extension BoundedHTTP: HTTPExchange {}
