package import AsyncHTTPClient

// None of these prints header values or bodies, which hold tokens and keys.

extension BoundedHTTP {
    /// A request.
    package struct Request: Sendable, CustomStringConvertible, CustomReflectable {
        /// The method, in capitals.
        package var method = "GET"
        /// The absolute URL. Its user information is not sent.
        package var url: String
        /// The header fields, in order.
        package var headers: [Header] = []
        /// The body; nil for none.
        package var body: [UInt8]?
        /// How long ``BoundedHTTP/send(_:while:)`` may take, the body of the answer included; or
        /// ``BoundedHTTP/open(_:)``, up to the head of the answer.
        package var timeout: Duration
        /// The size limit of the answer's body, in bytes.
        package var maximumAnswer: Int
        /// Whether the body of an answer with this status is read; otherwise it is empty.
        package var readsBody: @Sendable (Int) -> Bool = { _ in true }

        /// Makes a GET request.
        package init(_ url: String, timeout: Duration, maximumAnswer: Int) {
            (self.url, self.timeout, self.maximumAnswer) = (url, timeout, maximumAnswer)
        }

        /// The method.
        package var description: String { method }
        /// Only what the description says.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// An answer with its body.
    package struct Answer: Sendable, CustomStringConvertible, CustomReflectable {
        /// The status, 100 to 599.
        package var status: Int
        /// The header fields, in order.
        package var headers: [Header] = []
        /// The URL that answered, after redirects.
        package var url: String
        /// The body.
        package var body: [UInt8] = []

        /// Makes an answer.
        package init(status: Int, headers: [Header] = [], url: String, body: [UInt8] = []) {
            (self.status, self.headers, self.url, self.body) = (status, headers, url, body)
        }

        /// The first header field of that name, in any case.
        package func header(_ name: String) -> String? { BoundedHTTP.header(name, headers) }

        /// The status and the size.
        package var description: String { "status \(status), \(body.count) bytes" }
        /// Only what the description says.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The head of an answer, and the way to its body.
    package struct Head: Sendable, CustomStringConvertible, CustomReflectable {
        /// The status, 100 to 599.
        package var status: Int
        /// The header fields, in order.
        package var headers: [Header]
        /// The URL that answered, after redirects.
        package var url: String
        /// The body. Its errors are read by ``Failure/init(withinAnswer:)``.
        package var body: HTTPClientResponse.Body

        /// The first header field of that name, in any case.
        package func header(_ name: String) -> String? { BoundedHTTP.header(name, headers) }

        /// The status.
        package var description: String { "status \(status)" }
        /// Only what the description says.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// A header field.
    package struct Header: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name; its case does not matter.
        package let name: String
        /// The value.
        package let value: String

        /// Makes a header field.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        /// The name.
        package var description: String { "\(name): …" }
        /// Only what the description says.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// How much of a body has come.
    package struct Progress: Sendable, Hashable {
        /// The bytes that have come.
        package var received: UInt64 = 0
        /// The bytes of the whole body; nil when the server does not say.
        package var expected: UInt64?
    }

    private static func header(_ name: String, _ headers: [Header]) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}
