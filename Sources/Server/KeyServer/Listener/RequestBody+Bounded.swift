import HTTPTypes
package import Hummingbird
import NIOCore
import TextCoding

extension Request {
    /// Reads the whole body, or refuses it: by its announced length before a byte of it is read, or as soon as it has
    /// grown too large.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/bodyTooLarge``, ``ProblemType/requestTimeout`` or
    ///   ``ProblemType/malformedRequest`` (the body broke off).
    package func boundedBody(upTo limit: Int) async throws(ProblemDocument) -> [UInt8] {
        let tooLarge = ProblemDocument(.bodyTooLarge, detail: "The route takes \(limit) bytes at most.")
        // The decoder lets digits alone pass, and more of them than fit.
        if let length = headers[.contentLength], Int(length) ?? .max > limit { throw tooLarge }
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

    /// Reads the whole body as JSON.
    ///
    /// - Throws: as ``boundedBody(upTo:)``; also ``ProblemType/unsupportedMediaType``.
    func jsonBody(upTo limit: Int) async throws(ProblemDocument) -> JSONValue {
        let body = try await boundedBody(upTo: limit)
        guard try LicenseShape(contentType: headers[.contentType]) == .json else {
            throw ProblemDocument(.unsupportedMediaType, detail: "Send application/json.")
        }
        do throws(JSONError) {
            return try JSONValue(parsing: body)
        } catch {
            throw ProblemDocument(malformed: error)
        }
    }
}

extension ProblemDocument {
    /// A JSON text that is not as a route expects it.
    init(malformed error: JSONError) {
        self.init(.malformedRequest, detail: "The JSON is not as expected: \(error.description).")
    }
}
