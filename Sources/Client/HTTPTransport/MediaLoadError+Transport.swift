import HTTPRequests
import StreamPlayer

extension MediaLoadError {
    /// Creates the error for a failed request.
    init(_ failure: BoundedHTTP.Failure, _ url: String) {
        switch failure.code {
        case .noConnection, .brokenOff: self.init(.noConnection, url, reason: failure.reason)
        case .deadline: self.init(.deadline, url)
        case .tooLarge: self.init(.tooLarge, url, reason: failure.reason)
        case .badAddress: self.init(.badAddress, url)
        case .redirects: self.init(.redirects, url, reason: failure.reason)
        case .untrusted: self.init(.untrusted, url, reason: failure.reason)
        case .abandoned: self.init(.abandoned, url)
        case .cancelled: self.init(.cancelled, url)
        }
    }

    /// Creates the error for a body that cannot be decoded.
    init(_ error: ContentCodingError, _ url: String) {
        switch error {
        case .unsupported(let name):
            self.init(
                .encoding,
                url,
                reason: "the server responded with Content-Encoding \(name), which is not supported"
            )
        case .severalCodings:
            self.init(
                .encoding,
                url,
                reason: "the server responded with several Content-Encodings, which is not supported"
            )
        case .encodedRange:
            self.init(.encoding, url, reason: "the server responded with a byte range of an encoded body")
        case .damaged(let name):
            self.init(.encoding, url, reason: "the body is not valid in its Content-Encoding, \(name), or incomplete")
        case .tooLarge: self.init(.tooLarge, url, reason: "the decoded body is larger than the limit")
        case .noMemory: self.init(.encoding, url, reason: "there is not enough memory to decode the body")
        }
    }
}
