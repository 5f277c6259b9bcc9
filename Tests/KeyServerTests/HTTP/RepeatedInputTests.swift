import Foundation
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// Responses never contain input of the client: neither an SPC, nor a token, nor the name of an unknown field. A body
/// with the wrong Content-Type is parsed as one long "name", and responses are logged by proxies and apps.
@Suite("Input is not repeated", .timeLimit(.minutes(10)))
struct RepeatedInputTests {
    private static let mark = "Zq7Mark9Zq7"

    /// The encodings of the mark: raw, in hexadecimal, in base64 at every alignment.
    private static let traces: [String] = {
        let bytes = Array(mark.utf8)
        let base64 = (0..<3).map { shift -> String in
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
            // Its first and last digits contain bits of adjacent bytes.
            return String(text.dropFirst(4).dropLast(4))
        }
        return [mark, Hexadecimal.encode(bytes)] + base64
    }()

    private static func expectNoTrace(_ answer: ReceivedResponse, _ what: String) {
        let text = (answer.headers.map { "\($0.key): \($0.value)" } + [answer.text]).joined(separator: "\n")
        for trace in traces {
            #expect(text.range(of: trace, options: .caseInsensitive) == nil, "\(what): \(text)")
        }
        // A batch is answered with 200, and so is a challenge with a valid token of any type.
        let mayPass = ["batch", "/fps/licenses", "/fps/challenge"].contains { what.contains($0) }
        #expect(answer.status >= 400 || mayPass, "\(what): \(answer.status)")
    }

    private static let bodies: [(type: String, body: String, query: String)] = [
        ("application/octet-stream", mark, ""),
        ("application/octet-stream", mark, "?assetId=\(mark)&\(mark)=\(mark)"),
        ("application/octet-stream", mark, "?persist=\(mark)"),
        ("application/octet-stream", mark, "?preload=\(mark)"),
        ("application/octet-stream", mark, "?assetId=\(mark)&assetId=\(mark)"),
        ("application/octet-stream", mark, "?%zz\(mark)"),
        ("text/plain", mark, ""), ("text/plain", "!\(mark)!", ""),
        ("application/x-www-form-urlencoded", mark, ""),
        ("application/x-www-form-urlencoded", "spc=\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=!\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=AAAA&\(mark)=1", ""),
        ("application/x-www-form-urlencoded", "spc=AAAA&assetId=\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=AAAA&persist=\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=AAAA&preload=\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=\(mark)&spc=\(mark)", ""),
        ("application/x-www-form-urlencoded", "spc=%\(mark)", ""),
        ("application/json", mark, ""), ("application/json", "\"\(mark)\"", ""),
        ("application/json", "[\"\(mark)\"]", ""),
        ("application/json", #"{"spc":"\#(mark)"}"#, ""), ("application/json", #"{"spc":"!\#(mark)"}"#, ""),
        ("application/json", #"{"spc":"AAAA","\#(mark)":1}"#, ""),
        ("application/json", #"{"spc":"AAAA","\#(mark)":1,"\#(mark)":2}"#, ""),
        ("application/json", #"{"spc":["\#(mark)"]}"#, ""), ("application/json", #"{"spc":{"\#(mark)":1}}"#, ""),
        ("application/json", #"{"spc":"AAAA","assetId":"\#(mark)"}"#, ""),
        ("application/json", #"{"spc":"AAAA","assetId":["\#(mark)"]}"#, ""),
        ("application/json", #"{"spc":"AAAA","persist":"\#(mark)"}"#, ""),
        ("application/json", #"{"spc":"AAAA","preload":"\#(mark)"}"#, ""),
        ("application/json", #"{"spc":"\#(mark)"#, ""), ("application/json", #"{"spc":\#(mark)}"#, ""),
        ("application/\(mark)", mark, ""), (mark, mark, ""),
    ]

    @Test("A license request, in every format, with the mark in every field")
    func shapes() async throws {
        try await LicenseServer.run { server in
            for (type, body, query) in Self.bodies {
                let answer = try await server.send("POST", "/fps/license\(query)", type: type, Array(body.utf8))
                Self.expectNoTrace(answer, "\(type) \(body) \(query)")
                let batch = try await server.send("POST", "/fps/licenses\(query)", type: type, Array(body.utf8))
                Self.expectNoTrace(batch, "batch, \(type) \(body)")
            }
        }
    }

    @Test("A batch, with the mark in every field of an item and around the items")
    func batches() async throws {
        let items = [
            #"{"id":1,"spc":"\#(Self.mark)"}"#, #"{"id":1,"spc":"!\#(Self.mark)"}"#,
            #"{"id":1,"spc":["\#(Self.mark)"]}"#,
            #"{"id":1,"spc":"AAAA","\#(Self.mark)":1}"#, #"{"id":1,"spc":"AAAA","asset-id":"\#(Self.mark)"}"#,
            #"{"id":1,"spc":"AAAA","persist":"\#(Self.mark)"}"#, #"{"id":"\#(Self.mark)","spc":"AAAA"}"#,
            "\"\(Self.mark)\"",
        ]
        var bodies = items.map { #"{"fairplay-streaming-request":{"version":1,"create-ckc":[\#($0)]}}"# }
        bodies += [
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[],"\#(Self.mark)":1}}"#,
            #"{"fairplay-streaming-request":{"version":"\#(Self.mark)","create-ckc":[]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":"\#(Self.mark)"}}"#,
            #"{"fairplay-streaming-request":"\#(Self.mark)"}"#, #"{"\#(Self.mark)":{}}"#,
        ]
        try await LicenseServer.run { [bodies] server in
            for body in bodies {
                let answer = try await server.send("POST", "/fps/licenses", type: "application/json", Array(body.utf8))
                Self.expectNoTrace(answer, "batch \(body)")
            }
        }
    }

    @Test("SPCs that can be decrypted, with the mark in their contents")
    func messages() async throws {
        try await LicenseServer.run { server in
            let mark = Array(Self.mark.utf8)
            let state = Array(mark.prefix(4))
            let device = server.device()
            var spcs = [("asset", try server.request(device, asset: mark).spc)]
            // The creation date is unchanged, because the policy checks it first.
            let playback = SPCMutation { draft in
                guard let block = draft[.mediaPlaybackState], block.value.count >= 8 else { return }
                var value = block.value
                value.replaceSubrange(4..<8, with: state)
                draft[.mediaPlaybackState] = SPCDraft.Block(.mediaPlaybackState, value: value, padding: block.padding)
            }
            spcs.append(("playback state", try server.request(device, playback).spc))
            for (name, tag) in [
                ("versions", SPCDraft.Tag.protocolVersionsSupported), ("version", .protocolVersionUsed),
                ("indicator", .streamingIndicator), ("capabilities", .capabilities), ("playback", .mediaPlaybackState),
            ] {
                spcs.append((name, try server.request(device, .value(tag, mark + [0, 0, 0, 0, 0])).spc))
            }
            for (name, spc) in spcs {
                for query in ["", "?persist=true", "?assetId=\(Self.mark)"] {
                    let answer = try await server.license(spc, query: query)
                    let text = (answer.headers.map { "\($0.key): \($0.value)" } + [answer.text]).joined(separator: "\n")
                    for trace in Self.traces + [Hexadecimal.encode(state), Self.mark.prefix(4).lowercased()]
                    where answer.status != 200 {
                        #expect(!text.lowercased().contains(trace.lowercased()), "\(name)\(query): \(text)")
                    }
                }
            }
        }
    }

    @Test("Tokens, with the mark in every part")
    func tokens() async throws {
        let signer = try await TokenSigner.hs256()
        let mark = Self.mark
        let claims = #"{"iss":"https://issuer.example","aud":"keyway","exp":1900000000,"sub":"a"}"#
        var tokens = [mark, "\(mark).\(mark).\(mark)", "a.\(mark).b"]
        for header in [
            #"{"alg":"\#(mark)"}"#, #"{"alg":"HS256","kid":"\#(mark)"}"#,
            #"{"alg":"HS256","crit":["\#(mark)"],"\#(mark)":1}"#,
            #"{"alg":"HS256","typ":"\#(mark)"}"#, "{\(mark)}",
        ] { tokens.append(try signer.token(header, claims)) }
        for payload in [
            #"{"iss":"\#(mark)","aud":"keyway","exp":1900000000,"sub":"a"}"#,
            #"{"iss":"https://issuer.example","aud":"\#(mark)","exp":1900000000,"sub":"a"}"#,
            #"{"iss":"https://issuer.example","aud":"keyway","exp":"\#(mark)","sub":"a"}"#,
            #"{"iss":"https://issuer.example","aud":"keyway","exp":1900000000,"sub":["\#(mark)"]}"#,
            #"{"iss":"https://issuer.example","aud":"keyway","exp":1900000000,"sub":"a","assets":{"\#(mark)":1}}"#,
            "{\(mark)}",
        ] {
            tokens.append(try signer.token(#"{"alg":"HS256","kid":"hs-1"}"#, payload))
            tokens.append(try signer.token(#"{"alg":"HS256"}"#, payload))
        }
        let authorizer = try JWTAuthorizer(try await .test())
        try await LicenseServer.run(authorizer: authorizer) { [tokens] server in
            for token in tokens {
                for path in ["/fps/license", "/fps/licenses", "/fps/challenge"] {
                    let type = path == "/fps/licenses" ? "application/json" : "application/octet-stream"
                    let body =
                        path == "/fps/licenses"
                        ? #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":1,"spc":"AAAA"}]}}"# : "x"
                    let answer = try await server.send("POST", path, type: type, Array(body.utf8), token: token)
                    Self.expectNoTrace(answer, "\(path) \(token)")
                }
                Self.expectNoTrace(try await server.send("GET", "/admin/tokens", token: token), "administration")
            }
        }
    }

    @Test("Clear Key requests and key URLs")
    func otherClients() async throws {
        let mark = Self.mark
        try await OtherClientsServer.run { server in
            for body in [
                mark, "\"\(mark)\"", #"{"kids":"\#(mark)"}"#, #"{"kids":["\#(mark)"]}"#, #"{"kids":["!\#(mark)"]}"#,
                #"{"kids":[{"\#(mark)":1}]}"#, #"{"kids":["AAAAAAAAAAAAAAAAAAAAAA"],"type":"\#(mark)"}"#,
                #"{"kids":["\#(Base64.encodeURLSafe(Array("\(mark)00000".utf8)))"]}"#,
            ] { Self.expectNoTrace(try await server.send("POST", "/clearkey", body), body) }
            for path in [
                mark, "\(mark)?sig=\(mark)", "00000000000000000000000000000000?exp=\(mark)&sig=\(mark)&key=\(mark)",
            ] {
                Self.expectNoTrace(try await server.send("GET", "/keys/\(path)"), path)
            }
        }
    }
}
