extension PlatformErrorCatalog {
    /// The numbers of CoreMedia about playlists and media, in descending order. Apple publishes no text for them.
    static let coreMediaPlaylists: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -12174,
            .coreMedia,
            name: "missing-content-length",
            certainty: .oneReport,
            meaning:
                "Reported by one developer: a warning in the log that a response with status 206 has no Content-Length.",
            remedies: [
                "Run curl --range 0-1 --include URL: the response must have Content-Length and Content-Range."
            ],
            source: "an issue of infinite-streaming, #341"
        ),
        PlatformErrorExplanation(
            -12318,
            .coreMedia,
            name: "segment-exceeds-bandwidth",
            certainty: .severalReports,
            meaning: "Reported by developers: a segment exceeds the declared bandwidth of its variant.",
            remedies: [
                "Run keyway playlist check on the Multivariant Playlist, and compare BANDWIDTH with the largest segment.",
                "Raise BANDWIDTH, or lower the peak bit rate of the encoder.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12642,
            .coreMedia,
            name: "playlist-or-media-unusable",
            certainty: .severalReports,
            meaning: "Ambiguous: developers report four different problems with this number.",
            causes: [
                "Reported by developers: a live playlist was unchanged at two consecutive updates.",
                "Reported by developers: a playlist could not be parsed.",
                "Reported by developers: no media in the playlist matches.",
                "Reported by developers: the server does not support byte ranges.",
            ],
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
                "For a live stream, run keyway playlist check --watch 20 on the URL of the Media Playlist.",
                "Run curl --range 0-1 --include URL on a segment: the response must have status 206.",
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
            ],
            source: "four projects with four causes; no text of Apple"
        ),
        PlatformErrorExplanation(
            -12645,
            .coreMedia,
            name: "media-response-timeout",
            certainty: .severalReports,
            meaning: "Reported by developers: there was no response to a request for media in 10 seconds.",
            causes: [
                "Reported by one developer: playback restarted too far ahead."
            ],
            remedies: [
                "Measure the response time of segments: curl --output FILE --write-out '%{time_total}' URL.",
                "For a live stream, check that the segments in the playlist exist when the playlist is published.",
            ],
            source:
                "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple; an issue of infinite-streaming, #341"
        ),
        PlatformErrorExplanation(
            -12646,
            .coreMedia,
            name: "playlist-not-parsed",
            certainty: .oneReport,
            meaning: "Reported by one developer: a playlist could not be parsed.",
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist."
            ],
            source: "an issue of infinite-streaming, #341"
        ),
        PlatformErrorExplanation(
            -12860,
            .coreMedia,
            name: "malformed-playlist-or-media",
            certainty: .oneReport,
            meaning: "Reported by one developer: a playlist or media is malformed.",
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
                "Run keyway media inspect FILE on the segment that errorLog() contains.",
            ],
            source: "an issue of infinite-streaming, #341; a post in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -12880,
            .coreMedia,
            name: "no-variant-left",
            certainty: .oneReport,
            meaning:
                "Reported by one developer: no variant is left after unsuitable ones were removed. It is the underlying error of -11867.",
            remedies: [
                "Check CODECS, VIDEO-RANGE, HDCP-LEVEL and ALLOWED-CPC of all variants.",
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
            ],
            source: "a post on Qiita"
        ),
        PlatformErrorExplanation(
            -12884,
            .coreMedia,
            name: "playlist-or-media-not-received",
            certainty: .severalReports,
            meaning:
                "Reported by developers: a playlist or media was not received; NSURLErrorDomain -1008 appears beside it.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the connection, and whether the app's resource loader answers the request.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12888,
            .coreMedia,
            name: "live-playlist-not-updated",
            certainty: .severalReports,
            meaning: "Reported by developers: a live playlist was unchanged for 1.5 target durations.",
            remedies: [
                "Run keyway playlist check --watch 20 on the URL of the Media Playlist.",
                "Check the encoder and packager, and that caches keep live playlists for less than a target duration.",
            ],
            source: "an issue of infinite-streaming, #341; posts in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -12926,
            .coreMedia,
            name: "url-token-expired",
            certainty: .oneReport,
            meaning: "Reported by one developer: the token of a URL has expired during AirPlay.",
            remedies: [
                "Let tokens in media URLs be valid for the whole playback, because the AirPlay receiver requests the same URLs later."
            ],
            source: "an issue of srgletterbox-apple, #1"
        ),
        PlatformErrorExplanation(
            -12939,
            .coreMedia,
            name: "byte-range-ignored",
            certainty: .severalReports,
            meaning: "Reported by developers: the server ignores byte ranges, and its response has no length.",
            remedies: [
                "Run curl --range 0-1 --include URL: the response must have status 206, Content-Range and Content-Length.",
                "Turn on byte ranges on the server and on every cache in front of it.",
            ],
            source:
                "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple; an issue of KSPlayer, #4"
        ),
    ]

    /// The numbers of CoreMedia whose meaning is reported once or unknown, and the one positive number.
    static let coreMediaReports: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -12971,
            .coreMedia,
            name: "coremedia-12971",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: it appears during playback."
            ],
            remedies: [
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them."
            ],
            source: "an issue of react-native-video, #4505"
        ),
        PlatformErrorExplanation(
            -15418,
            .coreMedia,
            name: "rendition-report-missing",
            certainty: .oneReport,
            meaning:
                "Reported by one developer: a low-latency Media Playlist has no rendition report for another rendition.",
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
                "Write EXT-X-RENDITION-REPORT for each other rendition into low-latency Media Playlists.",
            ],
            source: "an accepted answer in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -15517,
            .coreMedia,
            name: "coremedia-15517",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by developers: it appears with low-latency streams."
            ],
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them.",
            ],
            source: "a post in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -15622,
            .coreMedia,
            name: "coremedia-15622",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: it appears with FairPlay Streaming in a Flutter app."
            ],
            remedies: [
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them."
            ],
            source: "an issue of betterplayer, #1069"
        ),
        PlatformErrorExplanation(
            -15628,
            .coreMedia,
            name: "coremedia-15628",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by developers: it appears on iOS 26 if segments are redirected with status 307."
            ],
            remedies: [
                "Serve segments without redirects, and compare.",
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them.",
            ],
            source: "issues of public projects"
        ),
        PlatformErrorExplanation(
            -16041,
            .coreMedia,
            name: "coremedia-16041",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: the path of an audio URL has no suffix."
            ],
            remedies: [
                "Add the suffix of the format, such as .m4a, to the URL, and compare.",
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them.",
            ],
            source: "an issue of just_audio, #1357"
        ),
        PlatformErrorExplanation(
            -19152,
            .coreMedia,
            name: "coremedia-19152",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: an asset has several FairPlay keys, which a resource loader provides."
            ],
            remedies: [
                "Use AVContentKeySession instead of a resource loader, and compare.",
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them.",
            ],
            source: "an issue of react-native-video, #3227"
        ),
        PlatformErrorExplanation(
            -19156,
            .coreMedia,
            name: "coremedia-19156",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: FairPlay Streaming with an HDMI adapter.",
                "Reported by one developer: FairPlay Streaming on iOS 18.",
            ],
            remedies: [
                "Play without the adapter, and compare; check the HDCP level that the key requires.",
                "Collect the player item's error and errorLog() with all underlying errors, and explain the other numbers in them.",
            ],
            source: "a log in Apple's developer forums; an issue of awesome_video_player, #65"
        ),
        PlatformErrorExplanation(
            1718449215,
            .coreMedia,
            .osStatus,
            name: "format-not-supported",
            certainty: .severalReports,
            meaning:
                "Reported by developers: the format of the data is not supported. The number is the four characters \"fmt?\".",
            causes: [
                "Reported by developers: samples were not decrypted, or could not be parsed."
            ],
            remedies: [
                "Check that the key request of the track succeeded: an encrypted sample is not a valid one.",
                "Run keyway media inspect FILE on a segment of the variant.",
            ],
            source: "issues of react-native-video, #4504 and #4506"
        ),
    ]
}
