extension PlatformErrorCatalog {
    /// The numbers of AVFoundation about content keys, AirPlay and the state of a stream, in descending order.
    static let avFoundationPlayback: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -11856,
            .avFoundation,
            name: "airplay-controller-requires-internet",
            constant: "AVErrorAirPlayControllerRequiresInternet",
            certainty: .documented,
            meaning: "The device that sends AirPlay requires an internet connection.",
            remedies: [
                "Connect the sending device to the internet, or end AirPlay."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11857,
            .avFoundation,
            name: "airplay-receiver-requires-internet",
            constant: "AVErrorAirPlayReceiverRequiresInternet",
            certainty: .documented,
            meaning: "The AirPlay receiver requires an internet connection.",
            remedies: [
                "Connect the receiver to the internet: with AirPlay, the receiver loads the media and needs keys of its own."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11860,
            .avFoundation,
            name: "create-content-key-request-failed",
            constant: "AVErrorCreateContentKeyRequestFailed",
            certainty: .documented,
            meaning: "The content key request could not be created. Apple publishes the name for macOS.",
            remedies: [
                "Check the certificate and the asset ID that the app passes: run keyway certificate check FILE.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11862,
            .avFoundation,
            name: "operation-not-allowed",
            constant: "AVErrorOperationNotAllowed",
            certainty: .documented,
            meaning: "The operation is not allowed.",
            remedies: [
                "Check which operation failed and in which state it was called.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11863,
            .avFoundation,
            name: "content-is-unavailable",
            constant: "AVErrorContentIsUnavailable",
            certainty: .documented,
            meaning: "The content is unavailable. In HLS: a playlist, media or a key could not be loaded.",
            causes: [
                "The response had an HTTP status of 4xx or 5xx.",
                "The name of the host could not be resolved.",
                "The request timed out.",
            ],
            remedies: [
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
                "Request the URI in that entry with curl --include, and fix the status.",
            ],
            source: "Apple's page AVError.Code; WWDC 2017, session 514"
        ),
        PlatformErrorExplanation(
            -11866,
            .avFoundation,
            name: "content-not-updated",
            constant: "AVErrorContentNotUpdated",
            certainty: .documented,
            meaning: "The content was not updated. In HLS: a live playlist was not updated in time.",
            causes: [
                "A live playlist is late."
            ],
            remedies: [
                "Run keyway playlist check --watch 20 on the URL of the Media Playlist.",
                "Check the encoder and packager, and that caches keep live playlists for less than a target duration.",
            ],
            source: "Apple's page AVError.Code; WWDC 2017, session 514"
        ),
        PlatformErrorExplanation(
            -11867,
            .avFoundation,
            name: "no-longer-playable",
            constant: "AVErrorNoLongerPlayable",
            certainty: .documented,
            meaning: "The content can no longer be played. In HLS: a playlist, media or a key could not be loaded.",
            causes: [
                "The response had an HTTP status of 4xx or 5xx.",
                "The name of the host could not be resolved.",
                "The request timed out.",
                "Reported by one developer: no variant is left after unsuitable ones were removed; the underlying error is -12880.",
            ],
            remedies: [
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
                "Request the URI in that entry with curl --include, and fix the status.",
            ],
            source: "Apple's page AVError.Code; WWDC 2017, session 514"
        ),
        PlatformErrorExplanation(
            -11868,
            .avFoundation,
            name: "no-compatible-alternates-for-external-display",
            constant: "AVErrorNoCompatibleAlternatesForExternalDisplay",
            certainty: .documented,
            meaning: "No variant is suitable for the external display.",
            remedies: [
                "Provide a variant, with a key of its own, whose HDCP and security levels the display satisfies.",
                "Show the viewer that the external display is restricted.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11870,
            .avFoundation,
            name: "external-playback-not-supported-for-asset",
            constant: "AVErrorExternalPlaybackNotSupportedForAsset",
            certainty: .documented,
            meaning: "External playback is not supported for this asset.",
            remedies: [
                "Play the asset on the device itself, without AirPlay or an external display."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11878,
            .avFoundation,
            name: "operation-cancelled",
            constant: "AVErrorOperationCancelled",
            certainty: .documented,
            meaning: "The operation was cancelled.",
            remedies: [
                "This is not a failure if the app or the viewer cancelled; otherwise find out which object was released too early."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11879,
            .avFoundation,
            name: "content-key-request-cancelled",
            constant: "AVErrorContentKeyRequestCancelled",
            certainty: .documented,
            meaning:
                "The app cancelled a content key request (since iOS 14.6). Apple does not specify which act of an app cancels it.",
            remedies: [
                "Treat the request as ended, without reporting a failure to the viewer.",
                "Check whether the item was replaced, the recipient removed, or the session expired or released at that time.",
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11882,
            .avFoundation,
            name: "airplay-receiver-temporarily-unavailable",
            constant: "AVErrorAirPlayReceiverTemporarilyUnavailable",
            certainty: .documented,
            meaning: "The AirPlay receiver is temporarily unavailable.",
            remedies: [
                "Try again after a pause, or select another receiver."
            ],
            source: "Apple's page AVError.Code"
        ),
        PlatformErrorExplanation(
            -11888,
            .avFoundation,
            name: "destination-cannot-randomize-device-identifier",
            constant: "AVErrorContentKeyRequestPlaybackDestinationDoesNotSupportDeviceIdentifierRandomization",
            certainty: .nameOnly,
            meaning:
                "The playback destination does not support a random device identifier. This reading is from the name alone.",
            causes: [
                "The app sets AVContentKeyRequestShouldRandomizeDeviceIdentifierKey, and playback uses a receiver that does not support it."
            ],
            remedies: [
                "Create the SPC for this request again, without that option."
            ],
            source: "Apple's AVError.h"
        ),
        PlatformErrorExplanation(
            -11889,
            .avFoundation,
            name: "content-key-invalid",
            constant: "AVErrorContentKeyInvalid",
            certainty: .nameOnly,
            meaning: "The content key is invalid. This reading is from the name alone.",
            remedies: [
                "Run keyway ckc inspect FILE on the data that the device received, and keyway ckc open to check it as a device does.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's AVError.h"
        ),
        PlatformErrorExplanation(
            nil,
            .avFoundation,
            name: "advisory-key-fulfills-request",
            constant: "contentKeyRequestFulfilledWithAdvisoryKey",
            certainty: .nameOnly,
            meaning:
                "The content key request was fulfilled with an advisory key. Apple publishes neither the number nor the use of this error.",
            causes: [
                "The session has advisory keys turned on (supportsAdvisoryKeys, iOS 27), and the async form of the call cannot return nil."
            ],
            remedies: [
                "Use makeOptionalStreamingContentKeyRequestData with a completion handler. Data of nil without an error means: send nothing."
            ],
            source: "Apple's page AVError.Code"
        ),
    ]
}
