extension PlatformErrorCatalog {
    /// The numbers of CoreMedia for HTTP statuses, in descending order. Apple publishes no text for them.
    static let coreMediaHTTP: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -12660,
            .coreMedia,
            name: "http-403",
            certainty: .severalReports,
            meaning: "Reported by developers: the response had HTTP status 403.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the expiry of signed URLs and cookies, and the rules of the CDN for this country and client.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12661,
            .coreMedia,
            name: "http-503",
            certainty: .severalReports,
            meaning: "Reported by developers: the response had HTTP status 503.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the load and the log of the origin.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12666,
            .coreMedia,
            name: "http-status-unexpected",
            certainty: .severalReports,
            meaning:
                "Reported by developers: the HTTP status of the response was not expected: 400, 402, 405, 406, 409, 415, 500 to 502, 504 or 505.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the log of the origin for the failure.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12667,
            .coreMedia,
            name: "http-204",
            certainty: .oneReport,
            meaning: "Reported by one developer: the response had HTTP status 204, without content.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Return the content with status 200.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12937,
            .coreMedia,
            name: "http-401-or-407",
            certainty: .severalReports,
            meaning:
                "Reported by developers: the response had HTTP status 401 or 407: the server or a proxy requires authentication.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the token or the cookies of the media requests; since iOS 11, 401 is also reported as -16840.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -12938,
            .coreMedia,
            name: "http-404",
            certainty: .severalReports,
            meaning: "Reported by developers: the response had HTTP status 404.",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check that the packager has published the file, and that its path in the playlist is correct.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
        PlatformErrorExplanation(
            -16840,
            .coreMedia,
            name: "http-401",
            certainty: .severalReports,
            meaning: "Reported by developers: the response had HTTP status 401 (since iOS 11).",
            remedies: [
                "Request the URI in the player item's errorLog() with curl --include, and with the headers of the app.",
                "Check the token or the cookies of the media requests.",
            ],
            source: "the field table (an answer on Stack Overflow and lists that repeat it); no text of Apple"
        ),
    ]
}
