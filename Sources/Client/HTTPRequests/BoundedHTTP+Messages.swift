package import AsyncHTTPClient

// The descriptions of these types omit header values and bodies, which contain tokens and keys.

extension BoundedHTTP {
    /// A request.
    package struct Request: Sendable, CustomStringConvertible, CustomReflectable {
        /// The method, in uppercase.
        package var method = "GET"
        /// The absolute URL. Its user information is not sent.
        package var url: String
        /// The header fields, in order.
        package var headers: [Header] = []
        /// The body; nil for a request without a body.
        package var body: [UInt8]?
        /// The timeout of ``BoundedHTTP/send(_:while:)``, including the body of the response, or of
        /// ``BoundedHTTP/open(_:)``, up to the head of the response.
        package var timeout: Duration
        /// The maximum time of ``BoundedHTTP/send(_:while:)`` without progress: until the head of the response, and
        /// between two parts of its body; nil if only ``timeout`` applies.
        package var idleTimeout: Duration?
        /// The maximum size of the response body, in bytes.
        package var maximumResponseSize: Int
        /// A function that returns whether the body of a response with this status is read; otherwise the body is
        /// empty.
        package var readsBody: @Sendable (Int) -> Bool = { _ in true }

        /// Creates a GET request.
        package init(_ url: String, timeout: Duration, maximumResponseSize: Int) {
            (self.url, self.timeout, self.maximumResponseSize) = (url, timeout, maximumResponseSize)
        }

        /// The method.
        package var description: String { method }
        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// A response with its body.
    package struct Answer: Sendable, CustomStringConvertible, CustomReflectable {
        /// The status code, 100 to 599.
        package var status: Int
        /// The header fields, in order.
        package var headers: [Header] = []
        /// The URL of the response, after redirects.
        package var url: String
        /// The body.
        package var body: [UInt8] = []
        /// The major version of HTTP, such as 2; nil if it is not known.
        package var majorVersion: Int?

        /// Creates a response.
        package init(
            status: Int,
            headers: [Header] = [],
            url: String,
            body: [UInt8] = [],
            majorVersion: Int? = nil
        ) {
            (self.status, self.headers, self.url, self.body) = (status, headers, url, body)
            self.majorVersion = majorVersion
        }

        /// Returns the value of the first header field with this name, case-insensitively.
        package func header(_ name: String) -> String? { BoundedHTTP.header(name, headers) }

        /// The status and the size.
        package var description: String { "status \(status), \(body.count) bytes" }
        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The head of a response, and access to its body.
    package struct Head: Sendable, CustomStringConvertible, CustomReflectable {
        /// The status code, 100 to 599.
        package var status: Int
        /// The header fields, in order.
        package var headers: [Header]
        /// The URL of the response, after redirects.
        package var url: String
        /// The major version of HTTP, such as 2.
        package var majorVersion: Int
        /// The body. Convert its errors with ``Failure/init(withinAnswer:)``.
        package var body: HTTPClientResponse.Body

        /// Returns the value of the first header field with this name, case-insensitively.
        package func header(_ name: String) -> String? { BoundedHTTP.header(name, headers) }

        /// The status.
        package var description: String { "status \(status)" }
        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// A header field.
    package struct Header: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name, which is case-insensitive.
        package let name: String
        /// The value.
        package let value: String

        /// Creates a header field.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        /// The name.
        package var description: String { "\(name): …" }
        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The progress of a response body.
    package struct Progress: Sendable, Hashable {
        /// The number of bytes received.
        package var received: UInt64 = 0
        /// The size of the whole body in bytes; nil if the server did not specify it.
        package var expected: UInt64?
    }

    private static func header(_ name: String, _ headers: [Header]) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}
