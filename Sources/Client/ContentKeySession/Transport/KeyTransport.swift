/// Sends a request and waits for its whole answer: over URLSession on Apple's platforms, over any HTTP client elsewhere.
///
/// A transport neither retries nor follows redirects, since a redirect would take a viewer's token elsewhere; the key
/// loader decides on both. It has to end soon after its task is cancelled: the loader keeps the time.
public protocol KeyTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: ``KeyTransportError``; an answer with any status is an answer.
    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer
}

/// Why there is no answer.
public enum KeyTransportError: Error, Hashable, Sendable {
    /// No connection, or it broke before the answer was whole.
    case noConnection
    /// There was no whole answer in time.
    case deadline
    /// The answer is larger than ``KeyTransportRequest/maximumAnswer``.
    case tooLarge
    /// The address is none that the transport can use.
    case badAddress
    /// Whoever asked no longer waits.
    case cancelled
}

/// A request over HTTP. It prints without headers and body, which hold tokens and SPCs.
public struct KeyTransportRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How it is asked.
    public enum Method: String, Sendable {
        /// Fetch.
        case get = "GET"
        /// Send a body.
        case post = "POST"
    }

    /// GET or POST.
    public var method: Method
    /// Absolute.
    public var url: String
    /// In order.
    public var headers: [KeyTransportHeader]
    /// What is sent.
    public var body: [UInt8]
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// How many bytes the answer's body may have.
    public var maximumAnswer: Int

    /// Makes a request.
    public init(
        _ method: Method,
        _ url: String,
        headers: [KeyTransportHeader] = [],
        body: [UInt8] = [],
        timeout: Duration = .seconds(10),
        maximumAnswer: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumAnswer = maximumAnswer
    }

    /// Method and address, without the query, which may hold a token.
    public var description: String { "\(method.rawValue) \(KeyLabel(url))" }
    /// Only what the description says.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An answer over HTTP. It prints without headers and body, which hold CKCs.
public struct KeyTransportAnswer: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// 100 to 599.
    public var status: Int
    /// In order.
    public var headers: [KeyTransportHeader]
    /// What came.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: [KeyTransportHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, whatever its case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Status and size.
    public var description: String { "status \(status), \(body.count) bytes" }
    /// Only what the description says.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A header field. It prints its name alone: the value may be a token.
public struct KeyTransportHeader: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The name; its case does not matter.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a header field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The name.
    public var description: String { "\(name): …" }
    /// Only what the description says.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
