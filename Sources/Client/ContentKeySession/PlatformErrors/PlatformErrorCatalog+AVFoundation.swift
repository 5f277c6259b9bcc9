extension PlatformErrorCatalog {
    /// The numbers of AVFoundation about assets, in descending order.
    static let avFoundationAssets: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -11800,
            .avFoundation,
            name: "unspecified",
            constant: "AVErrorUnknown",
            certainty: .documented,
            meaning: "Unknown: the error itself does not describe the problem. Its underlying error does.",
            causes: [
                "A key request failed: the underlying error has NSOSStatusErrorDomain and the number of FairPlay Streaming.",
                "Reported by several developers: the creation of an SPC failed, with -42669 as the underlying error.",
            ],
            remedies: [
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
            ],
            source: "Apple's page AVError.Code; Pillarbox #1232"
        ),
        PlatformErrorExplanation(
            -11801,
            .avFoundation,
            name: "out-of-memory",
            constant: "AVErrorOutOfMemory",
            certainty: .documented,
            meaning: "There was not enough memory for the operation.",
            remedies: [
                "Release players, items and assets that are not in use, and try again."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11819,
            .avFoundation,
            name: "media-services-were-reset",
            constant: "AVErrorMediaServicesWereReset",
            certainty: .documented,
            meaning: "The system's media services were reset. All players and key sessions of the app are unusable.",
            causes: [
                "Reported by one developer: NSOSStatusErrorDomain -12178 is the underlying error."
            ],
            remedies: [
                "Create the player, the player item, the asset and the content key session again, and continue at the stored position."
            ],
            source: "Apple's page AVError.Code; mux-player-swift does so"
        ),
        PlatformErrorExplanation(
            -11828,
            .avFoundation,
            name: "file-format-not-recognized",
            constant: "AVErrorFileFormatNotRecognized",
            certainty: .documented,
            meaning: "The format of the media is not recognized.",
            remedies: [
                "Check that the URL returns media or a playlist, and not an error page, with the correct Content-Type.",
                "Run keyway media inspect FILE on a segment.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11829,
            .avFoundation,
            name: "file-failed-to-parse",
            constant: "AVErrorFileFailedToParse",
            certainty: .documented,
            meaning: "The media is damaged.",
            remedies: [
                "Run keyway media inspect FILE on the file or the segment.",
                "Load the file again, and compare its size with the original.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11831,
            .avFoundation,
            name: "content-is-protected",
            constant: "AVErrorContentIsProtected",
            certainty: .documented,
            meaning: "The content is protected, and the app is not authorized to open it.",
            remedies: [
                "Check that the asset was added to a content key session before it started to load.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11835,
            .avFoundation,
            name: "content-is-not-authorized",
            constant: "AVErrorContentIsNotAuthorized",
            certainty: .documented,
            meaning: "The content is not authorized for this user.",
            causes: [
                "Reported by one developer: FairPlay Streaming on tvOS fails with this number.",
                "Reported by one developer: Safari reports it as 4294955461 for a key session.",
            ],
            remedies: [
                "Check the license response: search for the request in the key server's audit log.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code; react-native-video #4547, videojs-contrib-eme #74"
        ),
        PlatformErrorExplanation(
            -11836,
            .avFoundation,
            name: "application-is-not-authorized",
            constant: "AVErrorApplicationIsNotAuthorized",
            certainty: .documented,
            meaning: "The application is not authorized to play the content.",
            causes: [
                "Reported by one developer: in Safari, as 4294955460, the certificate was the wrong one, or was PEM instead of DER."
            ],
            remedies: [
                "Run keyway certificate check FILE on exactly the data that the app or the page downloads.",
                "Provide the certificate in DER, as GET /fps/certificate does.",
            ],
            source: "Apple's page AVError.Code; videojs-contrib-eme #213"
        ),
        PlatformErrorExplanation(
            -11838,
            .avFoundation,
            name: "operation-not-supported-for-asset",
            constant: "AVErrorOperationNotSupportedForAsset",
            certainty: .documented,
            meaning: "The operation is not supported for this asset.",
            remedies: [
                "Check which operation failed and whether the asset's kind supports it.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11847,
            .avFoundation,
            name: "operation-interrupted",
            constant: "AVErrorOperationInterrupted",
            certainty: .documented,
            meaning: "The operation was interrupted.",
            remedies: [
                "Try the operation again when the app is active.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11848,
            .avFoundation,
            name: "incompatible-asset",
            constant: "AVErrorIncompatibleAsset",
            certainty: .documented,
            meaning: "The asset cannot be played on this device.",
            remedies: [
                "Provide a variant that the device can play.",
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11849,
            .avFoundation,
            name: "failed-to-load-media-data",
            constant: "AVErrorFailedToLoadMediaData",
            certainty: .documented,
            meaning: "Media data could not be loaded.",
            remedies: [
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11850,
            .avFoundation,
            name: "server-incorrectly-configured",
            constant: "AVErrorServerIncorrectlyConfigured",
            certainty: .documented,
            meaning: "The HTTP server is not configured correctly: byte ranges or lengths are wrong.",
            remedies: [
                "Run curl --range 0-1 --include URL: the response must have status 206, Content-Range and Content-Length.",
                "Turn on byte ranges on the server and on every cache in front of it.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11853,
            .avFoundation,
            name: "failed-to-parse",
            constant: "AVErrorFailedToParse",
            certainty: .documented,
            meaning: "Parsing failed. In HLS: a playlist, a key or session data has a format error.",
            remedies: [
                "Run keyway playlist check on the URL of the Multivariant Playlist.",
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
            ],
            source: "Apple's page AVError.Code; WWDC 2017, session 514"
        ),
    ]
}
