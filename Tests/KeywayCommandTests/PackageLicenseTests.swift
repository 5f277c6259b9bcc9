import Foundation
import Synchronization
import Testing

/// The policies and the titles of the generated keys.
extension PackageKeyDeliveryTests {
    @Test("registers FairPlay keys under policies that require what the playlists signal")
    func fairPlayAlone() throws {
        let (notes, requests) = try package("fairplay", stored: [:])
        #expect(
            try Self.policies(requests) == [
                "development-none-baseline": #"{"hdcp":"none","securityLevel":"baseline","virtualMachines":"deny"}"#,
                "development-none-audio": #"{"hdcp":"none","securityLevel":"audio","virtualMachines":"deny"}"#,
            ]
        )
        #expect(try Self.contentPolicies(requests) == ["development-none-baseline", "development-none-audio"])
        #expect(!notes.contains("otherClients"))
    }

    /// The created policies by name.
    static func policies(_ requests: [LittleServer.Request]) throws -> [String: String] {
        let made = requests.filter { $0.method == "PUT" && $0.path.hasPrefix("/admin/policies/") }
        return Dictionary(
            try made.map { request in
                let object = try JSONSerialization.jsonObject(with: Data(request.body))
                let text = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
                return (String(request.path.dropFirst(16)), String(decoding: text, as: UTF8.self))
            }
        ) { $1 }
    }

    /// The policies of the video key and of the audio key.
    static func contentPolicies(_ requests: [LittleServer.Request]) throws -> [String?] {
        try requests.filter { $0.method == "PUT" && $0.path.hasPrefix("/admin/content/") }
            .map { try Tool.json($0.body)["policy"] as? String }
    }

    @Test(
        "reflects changed output protection in the license, of a class or of a variant",
        arguments: [
            (["--hdcp", "SD=TYPE-1", "--allowed-cpc", "SD=AppleMain/Main"], "development-type1-main"),
            (["--hdcp", "video-48=TYPE-0"], "development-type0-baseline"),
            (["--allowed-cpc", "video-48=none"], "development-none"),
            (["--allowed-cpc", "SD=AppleMain/Baseline"], "development-none-baseline"),
        ]
    )
    func changedProtection(options: [String], name: String) throws {
        let (_, requests) = try package("fairplay", options, stored: [:])
        #expect(try Self.contentPolicies(requests) == [name, "development-none-audio"])
        #expect(try Self.policies(requests)[name] != nil)
    }

    @Test("keeps what the server's policy default requires, under a name of its own")
    func storedDefault() throws {
        let document =
            #"{"name":"default","lease":"PT10M","hdcp":"type1","securityLevel":"main","otherClients":"deny"}"#
        let (notes, requests) = try package("fairplay,clearkey", stored: ["default": document])
        let policies = try Self.policies(requests)
        let names = try Self.contentPolicies(requests).compactMap { $0 }
        #expect(policies.count == 2)
        try #require(names.count == 2)
        #expect(names[0].hasPrefix("development-type1-main-"), "\(names)")
        #expect(
            policies[names[0]]
                == #"{"hdcp":"type1","lease":"PT10M","otherClients":"deny","securityLevel":"main"}"#
        )
        #expect(
            policies[names[1]]
                == #"{"hdcp":"type1","lease":"PT10M","otherClients":"deny","securityLevel":"audio"}"#
        )
        #expect(notes.contains("the server's policy default does not allow otherClients"), "\(notes)")
    }

    @Test("allows other clients only if they are among the systems")
    func fairPlayAndOthers() throws {
        let (notes, requests) = try package("fairplay,clearkey", stored: [:])
        let names = ["development-none-baseline-other-clients", "development-none-audio-other-clients"]
        #expect(try Self.contentPolicies(requests) == names)
        #expect(try Self.policies(requests).values.allSatisfy { $0.contains(#""otherClients":"allow""#) })
        #expect(notes.contains("policies that issue the raw key to Clear Key and AES-128 clients"), "\(notes)")
    }

    @Test("uses the policy of a class for its key, and leaves the server's policies as they are")
    func policyOfClass() throws {
        let (_, requests) = try package(
            "fairplay",
            ["--policy", "sd=gold", "--policy", "UHD=platinum"],
            stored: ["development-none-audio": "{}"]
        )
        #expect(try Self.contentPolicies(requests) == ["gold", "development-none-audio"])
        #expect(try Self.policies(requests).isEmpty)
        let (_, others) = try package("fairplay", ["--policy", "audio=sound", "--policy", "silver"], stored: [:])
        #expect(try Self.contentPolicies(others) == ["silver", "sound"])
        #expect(try Self.policies(others).isEmpty)
    }

    @Test(
        "warns if the policy requires another HDCP type than the playlists declare",
        arguments: [
            (#"{"hdcp":"none"}"#, [], nil), (#"{"hdcp":"type1"}"#, [], "has hdcp type1, but the playlists declare"),
            ("{}", [], "has no hdcp, so that devices require Type 0, but the playlists declare HDCP-LEVEL=NONE for SD"),
            ("{}", ["--hdcp", "SD=TYPE-0"], nil), (#"{"hdcp":"type0"}"#, ["--hdcp", "SD=TYPE-0"], nil),
            (#"{"hdcp":"none"}"#, ["--hdcp", "SD=TYPE-1"], "the licenses do not require what the playlists declare"),
            (#"{"hdcp":"type1"}"#, ["--hdcp", "video-48=TYPE-0"], "select these variants and show no picture"),
        ] as [(String, [String], String?)]
    )
    func differentHDCP(document: String, options: [String], words: String?) throws {
        let (notes, _) = try package("fairplay", options, policy: "gold", stored: ["gold": document])
        guard let words else {
            #expect(!notes.contains("warning"), "\(notes)")
            return
        }
        // Only the video: audio has no HDCP-LEVEL.
        #expect(notes.components(separatedBy: "warning: the policy gold ").count == 2, "\(notes)")
        #expect(notes.contains(words), "\(notes)")
    }

    @Test(
        "refuses policies of unknown classes, without a name, or given twice",
        arguments: [
            (["XL=gold"], "“XL” is not a track class"), (["HD="], "the name of the policy is missing"),
            (["HD=gold", "hd=silver"], "--policy is given twice for HD"),
            (["gold", "silver"], "--policy is given twice"),
        ]
    )
    func refusedPolicies(policies: [String], words: String) throws {
        let run = try Tool().run(
            ["package", PackageTests.film, "--out", "site", "--dev", "--admin-token", "t"]
                + policies.flatMap { ["--policy", $0] }
        )
        #expect(run.status == 2)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test("registers the keys under a title with a track for each class", arguments: [false, true])
    func title(exists: Bool) throws {
        let options = ["--title", "film-1", "--key-uri", "skd://{title}/{track}"]
        let stored =
            exists ? ["film-1": #"{"name":"film-1"}"#, "sd": #"{"kind":"sd"}"#, "audio": #"{"kind":"audio"}"#] : [:]
        let (_, requests) = try package("fairplay", options, stored: stored)
        let places = requests.filter { $0.method == "PUT" && $0.path.hasPrefix("/admin/titles/") }
        let track = "/admin/titles/film-1/tracks/"
        #expect(places.map(\.path) == (exists ? [] : ["/admin/titles/film-1", track + "sd", track + "audio"]))
        if let first = places.first {
            #expect(try Tool.json(first.body)["keyUriTemplate"] as? String == "skd://{title}/{track}")
            #expect(try places.dropFirst().map { try Tool.json($0.body)["kind"] as? String } == ["sd", "audio"])
        }
        let keys = requests.filter { $0.method == "PUT" && $0.path.hasPrefix("/admin/content/") }
        #expect(keys.map(\.path) == ["/admin/content/film-1%2Fsd", "/admin/content/film-1%2Faudio"])
        for (key, name) in zip(keys, ["sd", "audio"]) {
            let body = try Tool.json(key.body)
            #expect(body["title"] as? String == "film-1")
            #expect(body["titleTrack"] as? String == name)
            #expect(body["track"] == nil)
        }
    }

    @Test("refuses a title that the server cannot store, before anything is packaged")
    func invalidTitle() throws {
        let run = try Tool().run(
            [
                "package", PackageTests.film, "--out", "site", "--dev", "--admin-token", "t", "--title", "My Film",
            ]
        )
        #expect(run.status == 2)
        #expect(run.errors.contains("--title: with --dev"), "\(run.errors)")
    }

    @Test("a failed run deletes the title and the tracks that it has created")
    func withdrawnTitle() throws {
        let log = Log()
        let server = try LittleServer { request in
            log.requests.withLock { $0.append(request) }
            if request.path.hasPrefix("/admin/content/"), request.method == "PUT" {
                return LittleServer.Response(status: 500)
            }
            if request.method == "GET", !request.path.hasPrefix("/admin/content") {
                return LittleServer.Response(status: 404)
            }
            return LittleServer.Response(status: 200, body: Array("{}".utf8))
        }
        let tool = try Tool()
        let run = try tool.run(
            [
                "package", PackageTests.film, "--out", "site", "--dev", "--server", server.address, "--admin-token",
                "t",
                "--title", "film",
            ]
        )
        #expect(run.status == 1, "\(run.errors)")
        let deleted = log.requests.withLock { $0.filter { $0.method == "DELETE" }.map(\.path) }
        #expect(deleted.suffix(2) == ["/admin/titles/film/tracks/sd", "/admin/titles/film"], "\(deleted)")
    }
}
