import HTTPTypes
package import Hummingbird
import NIOCore
import TextCoding

extension Request {
    /// Reads the whole body. A body that is too large is refused by its announced length before it is read, or as soon
    /// as the limit is exceeded.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/bodyTooLarge``, ``ProblemType/requestTimeout`` or
    ///   ``ProblemType/malformedRequest`` (the body is incomplete).
    package func boundedBody(upTo limit: Int) async throws(ProblemDocument) -> [UInt8] {
        let tooLarge = ProblemDocument(.bodyTooLarge, detail: "The route accepts at most \(limit) bytes.")
        // The decoder accepts only digits, but possibly too many for an integer.
        if let length = headers[.contentLength], Int(length) ?? .max > limit { throw tooLarge }
        do {
            return Array(buffer: try await body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch is BodyDeadlineExceeded {
            throw ProblemDocument(.requestTimeout)
        } catch {
            throw ProblemDocument(.malformedRequest, detail: "The body is incomplete.")
        }
    }

    /// Reads the whole body as JSON.
    ///
    /// - Throws: The errors of ``boundedBody(upTo:)``; also ``ProblemType/unsupportedMediaType``.
    func jsonBody(upTo limit: Int) async throws(ProblemDocument) -> JSONValue {
        let body = try await boundedBody(upTo: limit)
        guard LicenseBodyFormat.declared(headers[.contentType]) == .json else {
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
    /// Creates the problem of JSON that cannot be parsed or has unexpected content.
    init(malformed error: JSONError) {
        self.init(.malformedRequest, detail: "The JSON is not valid: \(error.description).")
    }
}
