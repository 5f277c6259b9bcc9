/// What an error code that FPS reports on a device means, what usually causes it, and what to do.
struct FPSErrorExplanation: Sendable, Hashable, Encodable {
    /// The code as devices report it: negative.
    let code: Int32
    /// Our short name for it, in kebab-case.
    let name: String
    /// What the device says with it.
    let meaning: String
    /// What is behind it in practice, the likeliest first.
    let usualCauses: [String]
    /// What to try, in this order.
    let whatToDo: [String]
    /// The table of the FairPlay Streaming Programming Guide that lists the code.
    let table: String

    /// The code as logs that take it for unsigned write it: -42656 is 4294924640.
    var unsignedCode: UInt32 { UInt32(bitPattern: code) }
}

/// Every error code of FPS that the guide lists.
enum FPSErrorCatalog {
    /// Looks a code up as people find it in logs: signed or without its sign, as unsigned 32-bit number, in decimal or,
    /// after `0x`, in hexadecimal.
    ///
    /// - Returns: nil when this is not a number, or no code that the guide lists.
    static func explanation(of text: String) -> FPSErrorExplanation? {
        guard let code = code(from: text) else { return nil }
        return all.first { $0.code == code }
    }

    /// The negative code that a text stands for.
    static func code(from text: String) -> Int32? {
        var digits = Substring(text)
        // Web pages and word processors turn the hyphen into a minus sign or a dash.
        let isNegative = digits.first.map { "-\u{2212}\u{2013}".contains($0) } ?? false
        if isNegative { digits.removeFirst() }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits.removeFirst(2) }
        // The initializer would accept a second sign.
        guard digits.first?.isHexDigit == true, let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
            return nil
        }
        if number > UInt32(Int32.max) { return isNegative ? nil : Int32(bitPattern: number) }
        return -Int32(number)
    }

    /// The explanations, by falling code.
    static let all: [FPSErrorExplanation] = [
        FPSErrorExplanation(
            code: -42656,
            name: "lease-expired",
            meaning: "The lease of the content key has run out without being renewed, and playback stops.",
            usualCauses: [
                "The app did not ask for a renewal in time: paused, in the background, or never programmed to.",
                "The server refused the renewal: the token had expired, or the account plays on too many devices.",
                "The renewal was answered with the CKC of the first request, out of a cache. The lease runs on in it.",
                "The lease is so short that one slow request misses the renewal.",
            ],
            whatToDo: [
                "Look for the renewal in the server's audit log. There is none: the app. It was refused: the reason is there.",
                "Renew well before the end, and with a new SPC every time.",
                "Choose a lease of minutes, several times as long as your slowest request.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42668,
            name: "invalid-ckc",
            meaning: "What the app handed over is no CKC that answers this device's SPC.",
            usualCauses: [
                "It is no CKC: base64 text not decoded, JSON around it, an HTML page of a proxy, an empty body.",
                "The CKC answers another SPC: cached, mixed up between requests, or made before the app asked again.",
                "DASk was wrong, so session key and R1 were: ASk of another certificate, a fixed or development DASk.",
                "R1 is not the 44 bytes of the SPC, or the content key or its IV is not 16 bytes long.",
                "A block of the tag return request is missing or was written anew instead of returned unaltered.",
                "The CKC holds both an Offline Key and a Content Key Duration block.",
            ],
            whatToDo: [
                "keyway ckc inspect FILE on what the device got: it says what the file really is.",
                "keyway ckc open --spc SPC --ckc CKC --private-key KEY: it says which rule the CKC breaks.",
                "Check that the integrity of the SPC was verified. If it was not, a wrong DASk goes unnoticed until here.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42672,
            name: "certificate-missing",
            meaning: "The app asked for an SPC without giving an application certificate.",
            usualCauses: [
                "The request for the certificate failed or had not finished, and the empty result was passed on.",
                "In a browser: the server certificate was not set before the session was made.",
            ],
            whatToDo: [
                "Fetch the certificate first, check status and size, then ask for the SPC.",
                "keyway certificate check FILE on what the server delivers.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42673,
            name: "asset-id-missing",
            meaning: "The app asked for an SPC without an asset ID.",
            usualCauses: [
                "The content identifier is taken from a part of the skd URI that is empty, such as its host.",
                "Conversion of the identifier to bytes failed, and the empty result was passed on.",
            ],
            whatToDo: [
                "Print the skd URI of the key request and the bytes that the app makes of it.",
                "Agree with packager and key server on one rule for making the asset ID out of the URI.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42674,
            name: "version-list-missing",
            meaning: "There is no list of protocol versions to make the SPC with.",
            usualCauses: [
                "The app passes an option for the protocol versions and it is empty.",
                "The key tag of the playlist has an empty KEYFORMATVERSIONS.",
            ],
            whatToDo: [
                "Leave the option out: versions are between server and device, an app should not hold any.",
                "Write KEYFORMATVERSIONS=\"1\" into EXT-X-KEY and EXT-X-SESSION-KEY.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42675,
            name: "invalid-asset-id",
            meaning: "The asset ID given for the SPC cannot be used.",
            usualCauses: [
                "It is shorter than 2 or longer than 200 bytes. UTF-16 doubles the length, and so does hexadecimal.",
                "In Safari's older interface: initialization data whose length fields do not fit what follows them.",
            ],
            whatToDo: [
                "Count the bytes that the app passes on.",
                "Use a short identifier, such as the key ID, and not a URI with parameters.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42676,
            name: "spc-creation-failed",
            meaning: "The device could not make an SPC, for a reason that it does not give.",
            usualCauses: [
                "The app runs in a simulator, where FPS does not work.",
                "Certificate and asset ID are each well-formed but do not arrive as the interface expects them.",
                "A fault of the device that passes.",
            ],
            whatToDo: [
                "Try a real device, and a second one.",
                "Try certificate and asset ID of a stream that plays.",
                "Try again once after a pause, then report the failure to the player.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42679,
            name: "invalid-certificate",
            meaning: "What was given as the application certificate is none.",
            usualCauses: [
                "It is PEM or base64 text; the device wants DER.",
                "It is an error page, a redirect or JSON, delivered in place of the certificate.",
                "It is another certificate: the web server's, an intermediate one, or the signing request.",
            ],
            whatToDo: [
                "keyway certificate check FILE on exactly what the app downloads.",
                "Have the app check the status of the download. Deliver DER, as GET /fps/certificate does.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42681,
            name: "invalid-version-list",
            meaning: "The list of protocol versions cannot be used.",
            usualCauses: [
                "KEYFORMATVERSIONS is not made of numbers with slashes between them: \"1,2\" in place of \"1/2\".",
                "It lists only versions that this device does not support.",
                "The app passes versions of its own that contradict the playlist.",
            ],
            whatToDo: [
                "Write KEYFORMATVERSIONS=\"1\" unless your key server supports more.",
                "Take version numbers out of the app.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42783,
            name: "certificate-rejected",
            meaning: "The certificate is well-formed, but the device does not accept it; it may have been revoked.",
            usualCauses: [
                "It was not issued by Apple for FPS: a certificate of keyway credentials new on a real device.",
                "Apple has revoked it.",
                "It is a certificate of Apple's for another purpose, such as signing apps.",
            ],
            whatToDo: [
                "Compare the certificate with the one in your developer account; keyway certificate check shows it.",
                "Revoked: have a new one issued, and run both bundles on the server until no app uses the old one.",
                "Do not look at the expiry date: FPS does not enforce it.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42799,
            name: "persistent-key-outdated",
            meaning: "A security update of the device has ended support for the format of this persistent key.",
            usualCauses: [
                "The key was stored before the update. The download itself is fine."
            ],
            whatToDo: [
                "Delete the stored key, ask the server for a new persistent key, and keep the downloaded media.",
                "Let the server grant what is left of the rental; it knows when the rental began.",
            ],
            table: "Table 6-2 (persistence)"
        ),
        FPSErrorExplanation(
            code: -42800,
            name: "persistent-key-expired",
            meaning: "The persistent key's time is over: the rental, or the storage or playback duration.",
            usualCauses: [
                "The viewer came too late: not started within the storage duration, not finished within the playback one.",
                "The server gave seconds where days were meant.",
                "The app kept the first key although the system had handed over an updated one at the first play.",
            ],
            whatToDo: [
                "Ask the server for a renewal every time, and let its policy decide whether there is one.",
                "Compare the durations in the CKC with the policy: keyway ckc open shows them.",
                "Store the updated key in place of the first one.",
            ],
            table: "Table 6-2 (persistence)"
        ),
        FPSErrorExplanation(
            code: -42803,
            name: "invalid-offline-key",
            meaning: "The stored offline key cannot be used on this device.",
            usualCauses: [
                "The key comes from another device: restored from a backup, or synchronized.",
                "The stored bytes are damaged or cut, or belong to another asset.",
                "The key was invalidated, by its stream ID or by the title ID that it shares with others.",
                "It was replaced: the app answers with the key from before the first play.",
            ],
            whatToDo: [
                "Delete the key and ask the server for a new one.",
                "Store persistent keys as they are, one for each asset, and keep them out of backups.",
                "Answer requests from AirPlay with a streaming key.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42811,
            name: "security-level-violation",
            meaning: "The CKC requires a higher security level than the device has.",
            usualCauses: [
                "A Baseline device plays a variant whose key requires Main.",
                "All variants share one key, so the level meant for UHD holds for SD as well.",
                "A video level was set on the key of an audio track.",
            ],
            whatToDo: [
                "Give each tier a key and a policy of its own, and audio tracks the level Audio or none.",
                "Write ALLOWED-CPC into the multivariant playlist, so that devices choose what they may play.",
                "Have the server refuse by the device's own report: a refusal has a reason, this code has none.",
            ],
            table: "Table 3-11"
        ),
    ]
}
