import Foundation
import OwnThreads
import Testing

/// Tests of `keyway offline` and of the keys of `keyway download`.
@Suite("keyway offline", .timeLimit(.minutes(10)), .ownThreads)
struct OfflineCommandTests {
    @Test("An AES-128 movie is downloaded without a key server, and plays without a network")
    func playsOffline() throws {
        let site = try OfflineFilmSite()
        let download = try site.download("film")
        #expect(download.status == 0, "\(download.errors)")
        #expect(site.paths.count { $0 == "/film.key" } == 1)
        let firstMedia = try #require(site.paths.firstIndex { $0.hasSuffix(".ts") || $0.hasSuffix(".aac") })
        #expect(try #require(site.paths.firstIndex(of: "/film.key")) < firstMedia)
        site.cut()
        let count = site.paths.count
        let played = try site.offline("play", "films/film", "--out", "played/")
        #expect(played.status == 0, "\(played.errors)")
        #expect(site.paths.count == count)
        // The output is the same as that of the clear movie.
        let clear = try site.tool.run(["play", "site/clear/main.m3u8", "--out", "clear/", "--no-switching", "--quiet"])
        #expect(clear.status == 0, "\(clear.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: site.tool.path("clear")).sorted()
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.tool.path("played")).sorted() == names)
        #expect(!names.isEmpty)
        for name in names {
            #expect(
                try site.tool.content(site.tool.path("played/\(name)"))
                    == site.tool.content(site.tool.path("clear/\(name)"))
            )
        }
        // The stored key is encrypted.
        let state = site.tool.path("films/.keyway")
        for (name, data) in try PackageTests.files(state) {
            #expect(data.range(of: Data([0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77])) == nil, "\(name)")
        }
    }

    @Test("The list shows downloads, how long they may be watched, and what to do, as text and as JSON")
    func lists() throws {
        let site = try OfflineFilmSite()
        #expect(try site.list().titles.isEmpty)
        try #require(try site.download("film", "--title", "Der Film").status == 0)
        try #require(try site.download("clear").status == 0)
        try #require(try site.download("fairplay", "--no-keys").status == 0)
        let (titles, notes) = try site.list()
        #expect(notes.isEmpty)
        #expect(Set(titles.keys) == ["Der Film", "clear", "fairplay"])
        let film = try #require(titles["Der Film"])
        #expect(film["keys"] as? String == "stored" && film["download"] as? String == "complete")
        #expect(film["playable"] as? String == "without limit" && film["nextStep"] as? String == "watch")
        #expect(titles["clear"]?["keys"] as? String == "none needed")
        let fairplay = try #require(titles["fairplay"])
        #expect(fairplay["download"] as? String == "unverified" && fairplay["keys"] as? String == "refused")
        #expect((fairplay["nextStep"] as? String)?.contains("keyway download") == true)
        let text = try site.tool.run(["offline", "list", "films"])
        #expect(text.text.contains("3 downloads in films, 2 with their keys"))
        #expect(text.text.contains("Der Film"))

        let keep = try site.tool.run([
            "offline", "keep", "films/film", "--priority", "important", "--until", "2099-01-02T03:04:05Z",
        ])
        #expect(keep.status == 0 && keep.text.isEmpty, "\(keep.errors)")
        let kept = try #require(try site.list().titles["Der Film"])
        #expect(kept["priority"] as? String == "important" && kept["keepUntil"] as? String == "2099-01-02T03:04:05Z")
    }

    @Test("A download is found by its folder or its title, and titles are unique")
    func names() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("clear", as: "a", "--title", "Film").status == 0)
        for words in [["films/a"], ["Film", "--library", "films"], ["a", "--library", "films"]] {
            let run = try site.tool.run(["offline", "play"] + words + ["--quiet"])
            #expect(run.status == 0, "\(words): \(run.errors)")
        }
        let missing = try site.offline("play", "Another", "--library", "films")
        #expect(missing.status == 3 && missing.errors.contains("keyway offline list"))
        let second = try site.download("clear", as: "b", "--title", "Film")
        #expect(second.status == 1 && second.errors.contains("--title"))
        #expect(!FileManager.default.fileExists(atPath: site.tool.path("films/b")))
        // Downloading the same title again verifies it.
        #expect(try site.download("clear", as: "a", "--title", "Film").status == 0)
    }

    @Test("Eviction frees the requested space in the order of the plan, and reports if it is not enough")
    func evicts() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        try #require(try site.download("clear").status == 0)
        try #require(try site.offline("play", "films/film").status == 0)
        func evicted(_ run: (status: Int32, json: [String: Any], errors: String)) -> [[String: String]] {
            let blocks = (run.json["evicted"] as? [String: Any])?["blocks"] as? [[String: Any]] ?? []
            return blocks.map { $0.compactMapValues { $0 as? String } }
        }
        let plan = try site.offline("evict", "films", "--free", "1", "--dry-run")
        #expect(plan.status == 0)
        #expect(evicted(plan) == [["title": "film", "reason": "already-played"]])
        #expect(try site.list().titles.count == 2)
        let one = try site.offline("evict", "films", "--free", "1")
        #expect(one.status == 0)
        #expect(evicted(one) == evicted(plan))
        #expect(Set(try site.list().titles.keys) == ["clear"])
        let all = try site.offline("evict", "films", "--free", "1000000000000")
        #expect(all.status == 1 && all.errors.contains("can be freed"))
        #expect(evicted(all) == [["title": "clear", "reason": "space-needed"]])
        #expect((all.json["problem"] as? [String: Any])?["code"] as? String == "not-enough")
        #expect(try site.list().titles.isEmpty)
        let left = try PackageTests.files(site.tool.path("films")).keys
        #expect(!left.contains { $0.hasSuffix(".keys") || $0.hasSuffix(".use") || $0.hasSuffix("bundle.json") })
    }

    @Test("Deleting a movie with a clear key requires no server, and removes all its files")
    func deletes() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        let run = try site.offline("delete", "films/film")
        #expect(run.status == 0, "\(run.errors)")
        #expect((run.json["returned"] as? [String: Any])?["proofs"] as? Int == 0)
        #expect(try site.list().titles.isEmpty)
        #expect(!(try PackageTests.files(site.tool.path("films/.keyway")).keys.contains { $0.hasSuffix(".keys") }))
        #expect(try site.offline("delete", "films/film").status == 3)
    }

    @Test("FairPlay keys require a key server, and errors report that")
    func needsServer() throws {
        let site = try OfflineFilmSite()
        let download = try site.download("fairplay")
        #expect(download.status == 1 && download.errors.contains("--server"))
        #expect(!site.paths.contains { $0.hasSuffix(".ts") })
        try #require(try site.download("fairplay", "--no-keys").status == 0)
        for command in ["renew", "report"] {
            let run = try site.offline(command, "films/fairplay")
            #expect(run.status == 2 && run.errors.contains("--server"), "\(command): \(run.errors)")
        }
        let play = try site.offline("play", "films/fairplay")
        #expect(play.status == 1 && play.errors.contains("keyway download"), "\(play.errors)")
        let ask = ["--server", "http://127.0.0.1:1", "--ask", OfflineFilmSite.iv]
        for command in ["renew", "report"] {
            let run = try site.tool.run(["offline", command, "films/fairplay"] + ask)
            #expect(run.status == 1 && run.errors.contains("stored"), "\(command): \(run.errors)")
        }
    }

    @Test("Bundles that are invalid, truncated, too new, or have damaged media")
    func badBundles() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        let description = try site.tool.content(site.tool.path("films/film/bundle.json"))
        let manager = FileManager.default
        for (name, bytes) in [
            ("empty", []), ("half", Array(description.prefix(40))), ("noise", [UInt8](repeating: 0xff, count: 300)),
        ] as [(String, [UInt8])] {
            try manager.createDirectory(atPath: site.tool.path("films/\(name)"), withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(filePath: site.tool.path("films/\(name)/bundle.json")))
            for command in ["play", "keep"] {
                let run = try site.tool.run(["offline", command, "films/\(name)"])
                #expect(run.status == 1 && run.errors.contains("bundle.json"), "\(command) \(name): \(run.errors)")
            }
        }
        try manager.createDirectory(atPath: site.tool.path("films/holiday"), withIntermediateDirectories: true)
        let (titles, notes) = try site.list()
        #expect(Set(titles.keys) == ["film"] && notes.count == 3)
        #expect(["empty", "half", "noise"].allSatisfy { name in notes.contains { $0.contains("films/\(name)/") } })

        let media = try #require(try PackageTests.files(site.tool.path("films/film/media")).keys.min())
        try manager.removeItem(atPath: site.tool.path("films/film/media/\(media)"))
        let missing = try site.offline("play", "films/film")
        #expect(missing.status == 3 && missing.errors.contains(media), "\(missing.errors)")
        // The same command repairs it.
        #expect(try site.download("film").status == 0)
        #expect(try site.offline("play", "films/film").status == 0)
    }

    @Test("A changed byte is found by list and verify, is never played, and is repaired by the same download")
    func changedByte() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        #expect(try site.list().titles["film"]?["files"] as? String == "as downloaded")
        let intact = try site.offline("verify", "films/film")
        #expect(intact.status == 0, "\(intact.errors)")
        #expect((intact.json["files"] as? [String: Any])?["differences"] as? Int == 0)
        let media = try #require(try PackageTests.files(site.tool.path("films/film/media")).keys.min())
        let path = site.tool.path("films/film/media/\(media)")
        var bytes = try site.tool.content(path)
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        let film = try #require(try site.list().titles["film"])
        #expect(film["files"] as? String == "1 missing or changed")
        #expect((film["nextStep"] as? String)?.contains("keyway download") == true)
        for command in ["verify", "play"] {
            let run = try site.offline(command, "films/film")
            #expect(
                run.status == 1 && run.errors.contains(media) && run.errors.contains("changed")
                    && run.errors.contains("keyway download"),
                "\(command): \(run.status) \(run.errors)"
            )
        }
        #expect(try site.download("film").status == 0)
        #expect(try site.offline("verify", "films/film").status == 0)
        #expect(try site.offline("play", "films/film").status == 0)
        #expect(try site.list().titles["film"]?["files"] as? String == "as downloaded")
    }

    @Test("The clock of the device is printed; it is set only by a server, and only over https or from this computer")
    func clock() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        let run = try site.offline("clock", "films")
        #expect(run.status == 0, "\(run.errors)")
        #expect((run.json["clocks"] as? [String: Any])?["ahead"] as? Int == 0)
        let remote = try site.tool.run([
            "offline", "clock", "films", "--server", "http://192.0.2.1:1", "--ask", OfflineFilmSite.iv,
        ])
        #expect(remote.status == 1 && remote.errors.contains("only over https"), "\(remote.errors)")
    }

    @Test("Damaged keys, and a storage key that others can read")
    func badKeys() throws {
        let site = try OfflineFilmSite()
        try #require(try site.download("film").status == 0)
        let keys = site.tool.path("films/.keyway/keys")
        let name = try #require(try PackageTests.files(keys).keys.first { $0.hasSuffix(".keys") })
        try Data([1, 2, 3]).write(to: URL(filePath: "\(keys)/\(name)"))
        let (titles, notes) = try site.list()
        #expect(titles["film"]?["keys"] as? String == "refused")
        #expect(notes.count == 1 && notes.contains { $0.contains("keyway offline renew") })
        #expect(try site.offline("play", "films/film").status == 1)
        // The key is requested again, and replaces the lost one.
        #expect(try site.download("film").status == 0)
        #expect(try site.offline("play", "films/film").status == 0)

        let storage = site.tool.path("films/.keyway/storage.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: storage)
        for words in [
            ["list", "films"], ["play", "films/film"], ["keep", "films/film"], ["evict", "films", "--free", "1"],
        ] {
            let run = try site.tool.run(["offline"] + words)
            #expect(run.status == 3 && run.errors.contains("chmod 600"), "\(words): \(run.errors)")
        }
    }

    @Test("Invalid command lines exit with 2 and print the expected values")
    func usage() throws {
        let tool = try Tool()
        for (words, text) in [
            (["offline", "evict"], "--free"),
            (["offline", "evict", "--free", "much"], "--free"),
            (["offline", "keep", "x", "--priority", "high"], "important"),
            (["offline", "keep", "x", "--until", "tomorrow"], "ISO 8601"),
            (["offline", "play"], "<folder|title>"),
            (["offline", "play", "x", "--duration", "0s"], "--duration"),
            (["offline", "play", "x", "--max-resolution", "big"], "1280x720"),
            (["offline", "renew", "x", "--server", "ftp://x", "--ask", OfflineFilmSite.iv], "http://"),
            (["offline", "renew", "x", "--server", "http://127.0.0.1:1"], "--credentials"),
            (["offline", "watch", "x"], "watch"),
            (["download", "http://127.0.0.1:1/"], "--out"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--parallel", "0"], "1 to 64"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--timeout", "0s"], "--timeout"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--all", "--variant", "best"], "--all"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--variant", "1280y720"], "1280x720"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--variant", "all", "--variant", "hvc1"], "excludes"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--variant", "720p"], "1280x720"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--rendition", "type=AUDIO,"], "--rendition"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--languages", "en,"], "--languages"),
            (["download", "http://127.0.0.1:1/", "--out", "b", "--rendition", "color=red"], "--rendition"),
            (
                ["download", "http://127.0.0.1:1/", "--out", "b", "--rendition", "type=AUDIO", "--languages", "en"],
                "cannot be combined"
            ),
        ] {
            let run = try tool.run(words)
            #expect(run.status == 2 && run.errors.contains(text), "\(words): \(run.status) \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: tool.path("b")))
    }
}
