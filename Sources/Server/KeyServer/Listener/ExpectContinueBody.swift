import Hummingbird
import NIOCore

/// The body of a request with `Expect: 100-continue`. The server sends `100 Continue` when a route starts to read the
/// body, so that the client does not upload the body of a request that is refused immediately (RFC 9110, 10.1.1).
struct ExpectContinueBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let context: ServerRequestContext

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let context: ServerRequestContext
        var isAsked = false

        mutating func next() async throws -> ByteBuffer? {
            if !isAsked { context.sendContinue() }
            isAsked = true
            return try await base.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: body.makeAsyncIterator(), context: context) }
}
