import Hummingbird
import NIOCore

/// The body of a request whose client may be waiting for `100 Continue`: it is asked for when a route begins to read, so that a
/// request that is refused at once costs the client no upload (RFC 9110, 10.1.1).
struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let context: ServerRequestContext

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let context: ServerRequestContext
        var isAsked = false

        mutating func next() async throws -> ByteBuffer? {
            if !isAsked { context.askForBody() }
            isAsked = true
            return try await base.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: body.makeAsyncIterator(), context: context) }
}
