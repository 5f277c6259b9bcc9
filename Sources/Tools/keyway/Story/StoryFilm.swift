import Foundation

/// The film of the story: three qualities, two languages, made with ffmpeg and packaged by `keyway package`.
struct StoryFilm {
    /// A quality: a file, the class whose key it gets, and what ffmpeg is told.
    struct Quality {
        let file: String
        let trackClass: String
        let width: Int
        let height: Int
        let kilobits: Int
    }

    /// Its length in seconds, and that of a segment.
    static let (seconds, segmentSeconds) = (180, 4)
    private static let framesPerSecond = 10
    /// Small pictures, so that they are made in seconds; what matters is that each has a key of its own.
    static let qualities = [
        Quality(file: "sd.mp4", trackClass: "SD", width: 320, height: 180, kilobits: 90),
        Quality(file: "hd.mp4", trackClass: "HD", width: 480, height: 270, kilobits: 300),
        Quality(file: "uhd.mp4", trackClass: "UHD", width: 640, height: 360, kilobits: 700),
    ]
    static let languages = [(code: "en", hertz: 440), (code: "de", hertz: 330)]
    /// What the viewer speaks.
    static let language = "de"

    private let programs: StoryPrograms

    /// Makes the files.
    ///
    /// - Parameter film: to make them of, again and again where it is short; nil: a test picture and tones.
    init(_ programs: StoryPrograms, film: String?) async throws(CommandFailure) {
        self.programs = programs
        let source = film.map { ["-stream_loop", "-1", "-i", URL(filePath: $0).path] }
        for quality in Self.qualities { try await make(quality, of: source) }
        for language in Self.languages { try await makeSound(language.code, hertz: language.hertz, of: source) }
    }

    private static let commonArguments = ["-nostdin", "-loglevel", "error", "-y"]
    private static let length = ["-t", "\(seconds)"]

    private func make(_ quality: Quality, of source: [String]?) async throws(CommandFailure) {
        let size = "size=\(quality.width)x\(quality.height)"
        let picture = ["-f", "lavfi", "-i", "testsrc2=\(size):rate=\(Self.framesPerSecond)"]
        let interval = "\(Self.segmentSeconds * Self.framesPerSecond)"
        let rate = "\(quality.kilobits)k"
        var arguments = Self.commonArguments + (source ?? picture) + Self.length
        arguments += ["-map", "0:v:0", "-an", "-vf", "scale=\(quality.width):\(quality.height),setsar=1"]
        arguments += [
            "-r", "\(Self.framesPerSecond)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
        ]
        // A segment begins with a picture that needs no other.
        arguments += ["-g", interval, "-keyint_min", interval, "-sc_threshold", "0"]
        arguments += ["-b:v", rate, "-maxrate", rate, "-bufsize", rate, quality.file]
        try await programs.run("ffmpeg", arguments)
    }

    private func makeSound(_ language: String, hertz: Int, of source: [String]?) async throws(CommandFailure) {
        let tone = ["-f", "lavfi", "-i", "sine=frequency=\(hertz):sample_rate=48000"]
        var arguments = Self.commonArguments + (source ?? tone) + Self.length
        arguments += ["-map", "0:a:0", "-vn", "-c:a", "aac", "-b:a", "64k", "-ac", "1", language + ".m4a"]
        try await programs.run("ffmpeg", arguments)
    }

    /// Packages and encrypts it, and has the server keep the keys.
    ///
    /// - Returns: the URL of its Multivariant Playlist.
    func package(for server: StoryServer, _ teller: StoryTeller) async throws(CommandFailure) -> String {
        var words = ["package"]
        words += Self.qualities.map { "\($0.file),policy=\($0.trackClass)" }
        words += Self.languages.map { "\($0.code).m4a,lang=\($0.code)" }
        words += ["--out", "site", "--segment-duration", "\(Self.segmentSeconds)", "--dev"]
        // On a server that others use, keys are not to take the places of theirs.
        if server.isOwn { words += ["--key-uri", "skd://story/{track}"] }
        if let policy = server.policy { words += ["--policy", policy] }
        words += ["--server", server.url]
        teller.command(["keyway"] + words + ["--admin-token", server.isOwn ? "@data/admin-token" : "@FILE"])
        try await programs.run("keyway", words, environment: ["KEYWAY_ADMIN_TOKEN": server.adminToken])
        return URL(filePath: programs.path("site/main.m3u8")).absoluteString
    }
}
