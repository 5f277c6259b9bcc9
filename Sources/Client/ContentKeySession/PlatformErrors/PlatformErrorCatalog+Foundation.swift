extension PlatformErrorCatalog {
    /// The numbers of URL loading, which `URLError` declares, in descending order.
    static let urlLoading: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -1,
            .url,
            name: "url-unknown",
            constant: "NSURLErrorUnknown",
            certainty: .documented,
            meaning: "Unknown. A download in the Simulator usually ends with this error.",
            causes: [
                "The app runs in the Simulator, where downloads of HLS assets do not work."
            ],
            remedies: [
                "Test downloads on a device.",
                "Read the underlying error (NSUnderlyingErrorKey) and explain its number.",
            ],
            source: "Apple's sample for HLS downloads"
        ),
        PlatformErrorExplanation(
            -999,
            .url,
            name: "url-cancelled",
            constant: "NSURLErrorCancelled",
            certainty: .documented,
            meaning: "The request or download was cancelled.",
            causes: [
                "The app called cancel().",
                "The viewer closed the app in the app switcher, which cancels all of its downloads.",
            ],
            remedies: [
                "Delete the partial package at the location that the download reported; it is not deleted automatically.",
                "Read NSURLErrorBackgroundTaskCancelledReasonKey for the reason. It is unknown whether downloads of assets contain it.",
                "Return the keys of the download to the server, if the policy counts them.",
            ],
            source: "Apple's sample for HLS downloads; AVAssetDownloadTask.h; Apple's documentation of Foundation"
        ),
        PlatformErrorExplanation(
            -1001,
            .url,
            name: "url-timed-out",
            constant: "NSURLErrorTimedOut",
            certainty: .documented,
            meaning: "The request timed out.",
            remedies: [
                "Check the connection, and measure the response time: curl --output FILE --write-out '%{time_total}' URL."
            ],
            source: "Apple's documentation of Foundation"
        ),
        PlatformErrorExplanation(
            -1002,
            .url,
            name: "unsupported-url",
            constant: "NSURLErrorUnsupportedURL",
            certainty: .documented,
            meaning: "The scheme of the URL is not supported.",
            causes: [
                "Reported by one developer: it follows a failure of AirPlay.",
                "Probably: no content key session or resource loader answers the request for a URI with the scheme skd.",
            ],
            remedies: [
                "Add the asset to a content key session before it starts to load, and keep the session and its delegate.",
                "Check that the app's URL schemes of intercepted requests have a delegate.",
            ],
            source: "Apple's documentation of Foundation; issues of Pillarbox, #189, and srgletterbox-apple, #116"
        ),
        PlatformErrorExplanation(
            -1003,
            .url,
            name: "cannot-find-host",
            constant: "NSURLErrorCannotFindHost",
            certainty: .documented,
            meaning: "DNS does not resolve the name of the host.",
            remedies: [
                "Check the spelling of the host in the URL, and resolve it on the same network."
            ],
            source: "Apple's documentation of Foundation"
        ),
        PlatformErrorExplanation(
            -1004,
            .url,
            name: "cannot-connect-to-host",
            constant: "NSURLErrorCannotConnectToHost",
            certainty: .documented,
            meaning: "The host cannot be reached.",
            remedies: [
                "Check that the server is running and that its port is open on this network."
            ],
            source: "Apple's documentation of Foundation"
        ),
        PlatformErrorExplanation(
            -1008,
            .url,
            name: "resource-unavailable",
            constant: "NSURLErrorResourceUnavailable",
            certainty: .documented,
            meaning: "The resource is unavailable.",
            causes: [
                "Reported by developers: it appears beside CoreMediaErrorDomain -12884, if a playlist or media is not received."
            ],
            remedies: [
                "Read the player item's errorLog(): its entries have the URI, the domain and the number of each failure.",
                "Check whether the app's resource loader answers the request.",
            ],
            source: "Apple's documentation of Foundation"
        ),
        PlatformErrorExplanation(
            -1009,
            .url,
            name: "not-connected-to-internet",
            constant: "NSURLErrorNotConnectedToInternet",
            certainty: .documented,
            meaning: "The device is offline.",
            causes: [
                "A downloaded asset is played, and the player requests something that was not downloaded.",
                "Reported by developers: some first offline starts fail with this error, and a second try succeeds.",
            ],
            remedies: [
                "Try a failed offline start once more.",
                "Select the media options that the download reported (didResolve), because others are requested from the network.",
                "Answer the key request with the persistent key, without a request to the server.",
            ],
            source: "Apple's documentation of Foundation; AVAssetDownloadTask.h; posts in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -1022,
            .url,
            name: "app-transport-security",
            constant: "NSURLErrorAppTransportSecurityRequiresSecureConnection",
            certainty: .documented,
            meaning: "App Transport Security does not allow the connection: the URL is not https.",
            remedies: [
                "Use https for playlists, segments, keys and the key server.",
                "Add an exception to Info.plist only for tests.",
            ],
            source: "Apple's documentation of Foundation"
        ),
    ]

    /// The numbers of Foundation, which `CocoaError` declares.
    static let foundation: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            3072,
            .cocoa,
            name: "user-cancelled",
            constant: "NSUserCancelledError",
            certainty: .documented,
            meaning: "The user cancelled the operation.",
            causes: [
                "The viewer cancelled a download, for example in its Live Activity (iOS 27)."
            ],
            remedies: [
                "Do not report a failure. Delete the partial package at the location that the download reported."
            ],
            source: "AVAssetDownloadTask.h"
        )
    ]
}
