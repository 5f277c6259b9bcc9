import TextCoding

/// A transport that sends a request and waits for the complete response: URLSession on Apple's platforms, any HTTP
/// client elsewhere.
///
/// A transport neither retries nor follows redirects, because a redirect could send a viewer's token to another server;
/// the key loader decides on both. It must return soon after its task is cancelled: the loader enforces the timeouts.
public protocol KeyTransport: Sendable {
    /// Sends a request and returns the response.
    ///
    /// - Throws: ``KeyTransportError``. A response with any status is returned, not thrown.
    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse
}

/// An error of a transport.
public enum KeyTransportError: Error, Hashable, Sendable {
    /// The connection failed, or was interrupted before the response was complete.
    case noConnection
    /// The response was not complete before the timeout.
    case deadline
    /// The response is larger than ``KeyTransportRequest/maximumResponseSize``.
    case tooLarge
    /// The transport does not support the address.
    case badAddress
    /// The caller cancelled the request.
    case cancelled
}

/// An HTTP request. Its description omits the headers and the body, which contain tokens and SPCs.
public struct KeyTransportRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The HTTP method.
    public enum Method: String, Sendable {
        /// A request without a body.
        case get = "GET"
        /// A request with a body.
        case post = "POST"
    }

    /// The HTTP method.
    public var method: Method
    /// The absolute URL.
    public var url: String
    /// The header fields, in order.
    public var headers: [KeyTransportHeader]
    /// The request body.
    public var body: [UInt8]
    /// The timeout of the whole exchange.
    public var timeout: Duration
    /// The maximum size of the response body, in bytes.
    public var maximumResponseSize: Int

    /// Creates a request.
    public init(
        _ method: Method,
        _ url: String,
        headers: [KeyTransportHeader] = [],
        body: [UInt8] = [],
        timeout: Duration = .seconds(10),
        maximumResponseSize: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseSize = maximumResponseSize
    }

    /// The method and the address without its query, which may contain a token.
    public var description: String { "\(method.rawValue) \(KeyLabel(url))" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An HTTP response. Its description omits the headers and the body, which contain CKCs.
public struct KeyTransportResponse: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The header fields, in order.
    public var headers: [KeyTransportHeader]
    /// The response body.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [KeyTransportHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header with this name, case-insensitively.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// The status and the size.
    public var description: String { "status \(status), \(counted(body.count, "byte"))" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A header field. Its description contains only its name, because the value may be a token.
public struct KeyTransportHeader: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The name, which is case-insensitive.
    public let name: String
    /// The value.
    public let value: String

    /// Creates a header field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The name.
    public var description: String { "\(name): …" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
