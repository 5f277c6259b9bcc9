extension PlatformErrorCatalog {
    /// The numbers around FairPlay Streaming that the guide does not contain, in descending order. Apple publishes no text for them.
    static let fairPlayReports: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -42650,
            .osStatus,
            name: "fps-42650",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: Safari reports it, as 4294924646, before the license request."
            ],
            remedies: [
                "Check what the page passes to the key session: the certificate in DER, and the initialization data.",
                "Run keyway certificate check FILE on the data that the page downloads.",
            ],
            source: "an issue of videojs-contrib-eme, #80"
        ),
        PlatformErrorExplanation(
            -42669,
            .osStatus,
            name: "fps-42669",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by several developers: on iOS 18 to 26.2, SPCs cannot be created until the app is launched again."
            ],
            remedies: [
                "Tell the viewer to close the app and to open it again, and count how often this happens.",
                "Check the certificate and the asset ID first, to exclude other causes.",
            ],
            source: "issues of Pillarbox, #1232, #1472 and #1522"
        ),
        PlatformErrorExplanation(
            -42709,
            .osStatus,
            name: "fps-42709",
            certainty: .unknown,
            meaning: "The meaning is unknown.",
            causes: [
                "Reported by one developer: iOS 18.2.1 and 18.3.1."
            ],
            remedies: [
                "Compare with another version of iOS, and with a stream that plays.",
                "Collect the error with all underlying errors, and explain the other numbers in it.",
            ],
            source: "a question in Apple's developer forums"
        ),
        PlatformErrorExplanation(
            -46250,
            .osStatus,
            name: "secure-token-failed",
            certainty: .oneReport,
            meaning: "Reported by one developer: makeSecureTokenForExpirationDate failed for a persistent key.",
            causes: [
                "Probably: the CKC of the key has no Offline Key block, without which the guide does not allow this call."
            ],
            remedies: [
                "Run keyway ckc open on the CKC of the key, and check that it contains an Offline Key block.",
                "Let the server issue persistent keys with an Offline Key block, and request the key again.",
            ],
            source:
                "a question in Apple's developer forums; the cause is inferred from the FairPlay Streaming Programming Guide"
        ),
    ]

    /// The numbers that key servers report.
    static let keyServers: [PlatformErrorExplanation] = [
        PlatformErrorExplanation(
            -42580,
            .keyServer,
            name: "spc-version-refused",
            certainty: .oneReport,
            meaning:
                "Reported by one developer: a key server refuses the version of an SPC. This is not a number of a device.",
            causes: [
                "The data is not an SPC. Version 813827283 is 0x308204D3, the first bytes of a DER certificate: probably a certificate was sent instead of an SPC."
            ],
            remedies: [
                "Run keyway spc inspect FILE on the data that the app sends: it reports what the file actually is.",
                "Send the result of makeStreamingContentKeyRequestData, and pass the certificate only to that call.",
            ],
            source: "a question in Apple's developer forums"
        )
    ]
}
