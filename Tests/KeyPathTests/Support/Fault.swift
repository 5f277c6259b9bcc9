import Foundation
import TextCoding

@testable import KeyServer

/// What a ``FaultProxy`` has heard.
struct Heard: Sendable {
    /// Of its kind, from 1: certificates are counted on their own.
    let number: Int
    let path: String
    /// Its place on its connection, from 1.
    let onConnection: Int
    var isCertificate: Bool { path == "/fps/certificate" }
}

/// What a ``FaultProxy`` does with an exchange. Where there is an answer to spoil, the server was asked for it.
enum Fault: Sendable {
    case none
    /// The answer arrives so much later, by the client's clock.
    case latency(Duration)
    case resetBeforeHead
    case resetWithinHead
    case resetWithinBody
    /// The connection closes before as much has come as the head says.
    case endsEarly
    /// The body is another.
    case body(@Sendable ([UInt8]) -> [UInt8])
    /// Somebody else answers.
    case answer(Int, String, headers: [String] = [], type: String = "text/plain")
    case silence
    /// Head and a few bytes, then a byte now and then, for ever.
    case trickle
    /// The server's answer, and then the connection is closed without a word.
    case closesAfter

    /// A page where an answer in JSON was expected.
    static let page = answer(200, "<html><title>Welcome to our hotel</title>Sign in!</html>", type: "text/html")

    static func problem(_ status: Int, _ type: String, reason: String? = nil, headers: [String] = []) -> Fault {
        let reason = reason.map { #","reason":"\#($0)""# } ?? ""
        let body = #"{"type":"urn:keyway:problem:\#(type)"\#(reason)}"#
        return answer(status, body, headers: headers, type: "application/problem+json")
    }

    /// One bit of the CKC is turned over: of the last byte of its version, or of the byte at a place from there on.
    static func changedCKC(at place: Int = 0) -> Fault {
        body { body in
            replacingCKC(of: body) { text in
                guard var bytes = Base64.decode(text) else { return text }
                bytes[3 + place % (bytes.count - 3)] ^= 1
                return Base64.encode(bytes)
            }
        }
    }

    /// The document ends in its middle, and the head agrees.
    static let cutJSON = body { Array($0.prefix($0.count / 2)) }

    /// Puts something in the place of the first CKC of an answer in JSON.
    static func replacingCKC(of body: [UInt8], _ change: (String) -> String) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.range(of: #""ckc":""#)?.upperBound, let end = text[start...].firstIndex(of: "\"") else {
            return body
        }
        let unescaped = text[start..<end].replacingOccurrences(of: "\\/", with: "/")
        return Array((text[..<start] + change(unescaped) + text[end...]).utf8)
    }

    /// The CKC of an answer in JSON.
    static func ckc(of body: [UInt8]) -> String? {
        var found: String?
        _ = replacingCKC(of: body) {
            found = $0
            return $0
        }
        return found
    }
}
