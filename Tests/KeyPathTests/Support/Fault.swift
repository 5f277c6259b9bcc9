import Foundation
import TextCoding

@testable import KeyServer

/// A request that a ``FaultProxy`` received.
struct ReceivedRequest: Sendable {
    /// The number of the request, from 1; requests for certificates are counted separately.
    let number: Int
    let path: String
    /// The number of the request on its connection, from 1.
    let onConnection: Int
    var isCertificate: Bool { path == "/fps/certificate" }
}

/// The behavior of a ``FaultProxy`` for an exchange. Faults that change a response forward the request first.
enum Fault: Sendable {
    case none
    /// Delays the response, by the client's clock.
    case latency(Duration)
    case resetBeforeHead
    case resetWithinHead
    case resetWithinBody
    /// Closes the connection before the body has the length that the header declares.
    case endsEarly
    /// Replaces the body.
    case body(@Sendable ([UInt8]) -> [UInt8])
    /// Returns this response instead of the server's.
    case answer(Int, String, headers: [String] = [], type: String = "text/plain")
    case silence
    /// Sends the header and a few bytes, then single bytes at long intervals, without end.
    case trickle
    /// Sends the server's response, and then closes the connection without notice.
    case closesAfter

    /// An HTML page instead of a JSON response.
    static let page = answer(200, "<html><title>Welcome to our hotel</title>Sign in!</html>", type: "text/html")

    static func problem(_ status: Int, _ type: String, reason: String? = nil, headers: [String] = []) -> Fault {
        let reason = reason.map { #","reason":"\#($0)""# } ?? ""
        let body = #"{"type":"urn:keyway:problem:\#(type)"\#(reason)}"#
        return answer(status, body, headers: headers, type: "application/problem+json")
    }

    /// Flips one bit of the CKC: of the last byte of its version, or of the byte at an offset from there.
    static func changedCKC(at place: Int = 0) -> Fault {
        body { body in
            replacingCKC(of: body) { text in
                guard var bytes = Base64.decode(text) else { return text }
                bytes[3 + place % (bytes.count - 3)] ^= 1
                return Base64.encode(bytes)
            }
        }
    }

    /// Truncates the document in the middle; the header declares the truncated length.
    static let cutJSON = body { Array($0.prefix($0.count / 2)) }

    /// Replaces the first CKC of a JSON response.
    static func replacingCKC(of body: [UInt8], _ change: (String) -> String) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.range(of: #""ckc":""#)?.upperBound, let end = text[start...].firstIndex(of: "\"") else {
            return body
        }
        let unescaped = text[start..<end].replacingOccurrences(of: "\\/", with: "/")
        return Array((text[..<start] + change(unescaped) + text[end...]).utf8)
    }

    /// Returns the CKC of a JSON response.
    static func ckc(of body: [UInt8]) -> String? {
        var found: String?
        _ = replacingCKC(of: body) {
            found = $0
            return $0
        }
        return found
    }
}
