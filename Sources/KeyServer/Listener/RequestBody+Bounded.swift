import HTTPTypes
public import Hummingbird
import NIOCore

extension Request {
    /// Reads the whole body, or refuses it: by its announced length before a byte of it is read, or as soon as it has
    /// grown too large.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/bodyTooLarge``, ``ProblemType/requestTimeout`` or
    ///   ``ProblemType/malformedRequest`` (the body broke off).
    public func boundedBody(upTo limit: Int) async throws(ProblemDocument) -> [UInt8] {
        let tooLarge = ProblemDocument(.bodyTooLarge, detail: "The route takes \(limit) bytes at most.")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
        do {
            return Array(buffer: try await body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch is BodyDeadlineExceeded {
            throw ProblemDocument(.requestTimeout)
        } catch {
            throw ProblemDocument(.malformedRequest, detail: "The body broke off.")
        }
    }
}
