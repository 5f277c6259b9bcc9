extension PlatformErrorCatalog {
    /// The numbers in the FairPlay Streaming Programming Guide, in descending order.
    ///
    /// The guide defines the meanings. The causes and remedies are those that follow from its rules.
    static let fairPlayGuide: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -42656,
            .osStatus,
            name: "lease-expired",
            certainty: .documented,
            meaning: "The lease of the content key has expired without renewal, and playback stops.",
            causes: [
                "The app did not request a renewal in time: it was paused, in the background, or does not implement renewals.",
                "The server refused the renewal: the token had expired, or the account plays on too many devices.",
                "The renewal was answered with a cached CKC of the first request, whose lease is not extended.",
                "The lease is so short that one slow request misses the renewal.",
            ],
            remedies: [
                "Search for the renewal in the server's audit log. If it is missing, fix the app; if it was refused, see the reason.",
                "Renew long before the lease expires, and with a new SPC every time.",
                "Set a lease of minutes, several times as long as your slowest request.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42668,
            .osStatus,
            name: "invalid-ckc",
            certainty: .documented,
            meaning: "The data that the app passed to the device is not a valid CKC for its SPC.",
            causes: [
                "The CKC is for another SPC: cached, mixed up between requests, or created before the app's latest request.",
                "It is not a CKC: base64 text that was not decoded, JSON around the CKC, an HTML page of a proxy, an empty body.",
                "DASk was wrong, and so were the session key and R1: the ASk of another certificate, or a fixed or development DASk.",
                "The server made it wrong: R1 is not the 44 bytes of the SPC, or the content key or its IV is not 16 bytes long.",
                "The server left out a block of the tag return request, or re-encoded it instead of returning it unaltered.",
                "The server put both an Offline Key and a Content Key Duration block into the CKC.",
            ],
            remedies: [
                "Run keyway doctor PLAYLIST --server URL --credentials FOLDER first: it finds caches, a wrong ASk, and invalid CKCs.",
                "Cached: exclude all routes of the key server except /fps/certificate from caching, and purge the cache.",
                "Not a CKC: run keyway ckc inspect FILE on the data that the device received: it reports what the file actually is.",
                "DASk: compare the ASk with the certificate, and check that the server verifies the integrity of the SPC.",
                "The server: run keyway ckc open --spc SPC --ckc CKC --private-key KEY: it reports which rule the CKC violates.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42672,
            .osStatus,
            name: "missing-certificate",
            certainty: .documented,
            meaning: "The app requested an SPC without providing an application certificate.",
            causes: [
                "The request for the certificate failed or had not finished, and the empty result was used.",
                "In a browser: the server certificate was not set before the session was created.",
            ],
            remedies: [
                "Request the certificate first, check the status and size of the response, and then request the SPC.",
                "Run keyway certificate check FILE on the data that the server returns.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42673,
            .osStatus,
            name: "missing-asset-id",
            certainty: .documented,
            meaning: "The app requested an SPC without an asset ID.",
            causes: [
                "The content identifier is taken from an empty part of the skd URI, such as its host.",
                "The conversion of the identifier to bytes failed, and the empty result was used.",
            ],
            remedies: [
                "Log the skd URI of the key request, and the bytes that the app derives from it.",
                "Use the same rule for deriving the asset ID from the URI in the packager, the key server, and the app.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42674,
            .osStatus,
            name: "missing-version-list",
            certainty: .documented,
            meaning: "The list of protocol versions for the SPC is missing.",
            causes: [
                "The app sets the option for the protocol versions to an empty list.",
                "The key tag of the playlist has an empty KEYFORMATVERSIONS.",
            ],
            remedies: [
                "Do not set the option: the versions are negotiated by the playlist and the device, not by the app.",
                "Write KEYFORMATVERSIONS=\"1\" into EXT-X-KEY and EXT-X-SESSION-KEY.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42675,
            .osStatus,
            name: "invalid-asset-id",
            certainty: .documented,
            meaning: "The asset ID for the SPC is invalid.",
            causes: [
                "It is shorter than 2 or longer than 200 bytes. UTF-16 and hexadecimal double the length.",
                "In Safari's older API: the length fields of the initialization data do not match its content.",
            ],
            remedies: [
                "Count the bytes that the app passes to the device.",
                "Use a short identifier, such as the key ID, instead of a URI with parameters.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42676,
            .osStatus,
            name: "spc-creation-failed",
            certainty: .documented,
            meaning: "The device could not create an SPC, and does not report the reason.",
            causes: [
                "The app runs in a simulator, where FPS does not work.",
                "The certificate and the asset ID are valid, but are not passed in the form that the API expects.",
                "A temporary failure of the device.",
            ],
            remedies: [
                "Try a physical device, and a second one.",
                "Try the certificate and asset ID of a stream that plays.",
                "Retry once after a pause, then report the failure to the player.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42679,
            .osStatus,
            name: "invalid-certificate",
            certainty: .documented,
            meaning: "The data that was set as the application certificate is not a certificate.",
            causes: [
                "It is PEM or base64 text, but the device requires DER.",
                "It is an error page, a redirect, or JSON instead of the certificate.",
                "It is another certificate: that of the web server, an intermediate one, or the signing request.",
            ],
            remedies: [
                "Run keyway certificate check FILE on exactly the data that the app downloads.",
                "Check the status of the download in the app. Serve DER, as GET /fps/certificate does.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42681,
            .osStatus,
            name: "invalid-version-list",
            certainty: .documented,
            meaning: "The list of protocol versions is invalid.",
            causes: [
                "KEYFORMATVERSIONS is not a list of numbers separated by slashes: \"1,2\" instead of \"1/2\".",
                "It lists only versions that the device does not support.",
                "The app sets versions that contradict the playlist.",
            ],
            remedies: [
                "Write KEYFORMATVERSIONS=\"1\", unless your key server supports more versions.",
                "Remove version numbers from the app.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42783,
            .osStatus,
            name: "revoked-certificate",
            certainty: .documented,
            meaning:
                "The certificate is invalid: it is well-formed, but the device rejects it. It may have been revoked.",
            causes: [
                "Apple did not issue it for FPS: for example, a certificate of keyway credentials new on a physical device.",
                "Apple has revoked it.",
                "It is an Apple certificate for another purpose, such as app signing.",
            ],
            remedies: [
                "Compare the certificate with the one in your developer account; keyway certificate check prints it.",
                "If it was revoked, request a new one, and configure both on the server until no app uses the old one.",
                "Ignore the expiry date: FPS does not enforce it.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42799,
            .osStatus,
            name: "persistent-key-outdated",
            certainty: .documented,
            meaning: "A security update of the device ended support for the format of this persistent key.",
            causes: [
                "The key was stored before the update. The downloaded media is not affected."
            ],
            remedies: [
                "Delete the stored key, request a new persistent key from the server, and keep the downloaded media.",
                "Let the server issue the remaining time of the rental, whose start it has stored.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 6-2 (persistence)"
        ),
        PlatformErrorExplanation(
            -42800,
            .osStatus,
            name: "persistent-key-expired",
            certainty: .documented,
            meaning: "The persistent key has expired: its rental, storage duration, or playback duration has ended.",
            causes: [
                "The viewer did not start within the storage duration, or did not finish within the playback duration.",
                "The server set a duration in days, but the unit is seconds.",
                "The app kept the first key, although the system had provided an updated one at the first playback.",
            ],
            remedies: [
                "Always request a renewal from the server; its policy decides whether it is granted.",
                "Compare the durations in the CKC with the policy: keyway ckc open prints them.",
                "Replace the stored key with the updated one.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 6-2 (persistence)"
        ),
        PlatformErrorExplanation(
            -42803,
            .osStatus,
            name: "invalid-persistent-key",
            certainty: .documented,
            meaning: "The stored offline key cannot be used on this device.",
            causes: [
                "The key is from another device: restored from a backup, or synchronized.",
                "The stored bytes are damaged or truncated, or belong to another asset.",
                "The key was invalidated, by its stream ID or by the title ID that it shares with other keys.",
                "The key was replaced, but the app used the one from before the first playback.",
            ],
            remedies: [
                "Delete the key, and request a new one from the server.",
                "Store persistent keys unchanged, one for each asset, and exclude them from backups.",
                "Answer key requests during AirPlay with a streaming key.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 8-1"
        ),
        PlatformErrorExplanation(
            -42811,
            .osStatus,
            name: "security-level-too-low",
            certainty: .documented,
            meaning: "The content key requires more security than the device or its output has.",
            causes: [
                "A Baseline device plays a variant whose key requires Main.",
                "All variants share one key, so the level for UHD applies to SD as well.",
                "A video security level was set on the key of an audio track.",
                "The output, such as an HDMI adapter, has less protection than the key requires.",
            ],
            remedies: [
                "Show the viewer that the output is restricted, and do not retry: the next key has the same rule.",
                "Use a separate key and policy for each tier, and the level Audio or none for audio tracks.",
                "Write ALLOWED-CPC into the Multivariant Playlist, so that devices select variants that they may play.",
                "Let the server check the level that the device reports: its refusal has a reason, while this code has none.",
            ],
            source: "FairPlay Streaming Programming Guide, Table 3-11"
        ),
    ]
}
