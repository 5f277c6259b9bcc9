import Testing

/// A behavior of one path of a server, and the outcome of playback that it must have.
struct ServerBehavior: Sendable, CustomTestStringConvertible {
    /// The resource whose path has the behavior. All others are ordinary.
    enum Resource: Sendable {
        /// The Multivariant Playlist.
        case main
        /// The Media Playlist.
        case media
        /// The init segment.
        case initialization
        /// The second media segment.
        case segment
        /// The AES-128 key.
        case key
        /// The playlist of the subtitles.
        case subtitles
    }

    /// The form of the stream.
    enum Form: String, Sendable, CaseIterable {
        /// A clear MPEG-2 transport stream.
        case transportStream
        /// Clear fragmented MP4.
        case mp4
        /// MPEG-2 transport stream segments that are encrypted with AES-128.
        case encrypted
    }

    /// A request of the path, and the ordinary response.
    struct Exchange: Sendable {
        let request: BehaviorServer.Request
        let ordinary: ServerResponse
        /// The number of this request.
        var number: Int { request.number }
    }

    /// The outcome of playback.
    struct Outcome: Sendable {
        /// The code of the error that ends playback; nil if all media is played.
        var code: String?
        /// A text in the error.
        var text = ""
        /// The number of retries of resources.
        var retries = 0
        /// The minimum time by the player's clock, which advances only while the player waits.
        var wait = Duration.zero
        /// True if the other variant is played.
        var isOtherVariant = false
        /// True if the subtitles are omitted.
        var omitsSubtitles = false

        /// All media is played.
        static let plays = Outcome()
        /// All media of the other variant is played.
        static let playsOther = Outcome(isOtherVariant: true)
        /// All media is played without subtitles.
        static let playsWithoutSubtitles = Outcome(omitsSubtitles: true)

        /// All media is played after retries.
        static func plays(retries: Int, wait: Duration = .zero) -> Outcome { Outcome(retries: retries, wait: wait) }

        /// Playback ends with an error.
        static func fails(_ code: String, _ text: String, retries: Int = 0) -> Outcome {
            Outcome(code: code, text: text, retries: retries)
        }
    }

    /// The name of the behavior.
    let name: String
    var form = Form.transportStream
    let resource: Resource
    let outcome: Outcome
    /// The headers of the command line.
    var headers: [(name: String, value: String)] = []
    /// The maximum time without progress of the first load of the resource. Later ones have a minute.
    var idleTimeout: Duration
    /// The text of the Multivariant Playlist; nil for the usual one.
    var main: String?
    let respond: @Sendable (Exchange) -> [BehaviorServer.Step]

    /// Creates a behavior of a resource.
    init(
        _ name: String,
        _ resource: Resource,
        _ outcome: Outcome,
        form: Form? = nil,
        headers: [(name: String, value: String)] = [],
        main: String? = nil,
        idleTimeout: Duration = .seconds(60),
        _ respond: @escaping @Sendable (Exchange) -> [BehaviorServer.Step] = { $0.ordinary.steps }
    ) {
        (self.name, self.resource, self.outcome, self.headers) = (name, resource, outcome, headers)
        (self.main, self.idleTimeout, self.respond) = (main, idleTimeout, respond)
        switch resource {
        case .initialization: self.form = form ?? .mp4
        case .key: self.form = form ?? .encrypted
        default: self.form = form ?? .transportStream
        }
    }

    var testDescription: String { "\(resource): \(name)" }
}
