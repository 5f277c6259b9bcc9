/// An error code that FPS reports on a device: its meaning, usual causes, and remedies.
struct FPSErrorExplanation: Sendable, Hashable, Encodable {
    /// The code as devices report it, a negative number.
    let code: Int32
    /// Keyway's short name for the code, in kebab case.
    let name: String
    /// The meaning of the code.
    let meaning: String
    /// The usual causes, the most likely first.
    let usualCauses: [String]
    /// The remedies, in the order in which to try them.
    let whatToDo: [String]
    /// The table of the FairPlay Streaming Programming Guide that lists the code.
    let table: String

    /// The code as an unsigned number, as some logs print it: -42656 is 4294924640.
    var unsignedCode: UInt32 { UInt32(bitPattern: code) }
}

/// The FPS error codes that the guide lists.
enum FPSErrorCatalog {
    /// Returns the explanation of a code as it appears in logs: signed or without its sign, as an unsigned 32-bit
    /// number, in decimal or, after `0x`, in hexadecimal.
    ///
    /// - Returns: The explanation; nil if the text is not a number, or the guide does not list the code.
    static func explanation(of text: String) -> FPSErrorExplanation? {
        guard let code = code(from: text) else { return nil }
        return all.first { $0.code == code }
    }

    /// Returns the negative code that the text represents.
    static func code(from text: String) -> Int32? {
        var digits = Substring(text)
        // Web pages and word processors replace the hyphen with a minus sign or a dash.
        let isNegative = digits.first.map { "-\u{2212}\u{2013}".contains($0) } ?? false
        if isNegative { digits.removeFirst() }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits.removeFirst(2) }
        // The initializer of UInt32 would accept a second sign.
        guard digits.first?.isHexDigit == true, let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
            return nil
        }
        if number > UInt32(Int32.max) { return isNegative ? nil : Int32(bitPattern: number) }
        return -Int32(number)
    }

    /// The explanations, in descending order of the code.
    static let all: [FPSErrorExplanation] = [
        FPSErrorExplanation(
            code: -42656,
            name: "lease-expired",
            meaning: "The lease of the content key has expired without renewal, and playback stops.",
            usualCauses: [
                "The app did not request a renewal in time: it was paused, in the background, or does not implement renewals.",
                "The server refused the renewal: the token had expired, or the account plays on too many devices.",
                "The renewal was answered with a cached CKC of the first request, whose lease is not extended.",
                "The lease is so short that one slow request misses the renewal.",
            ],
            whatToDo: [
                "Search for the renewal in the server's audit log. If it is missing, fix the app; if it was refused, see the reason.",
                "Renew long before the lease expires, and with a new SPC every time.",
                "Set a lease of minutes, several times as long as your slowest request.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42668,
            name: "invalid-ckc",
            meaning: "The data that the app passed to the device is not a valid CKC for its SPC.",
            usualCauses: [
                "It is not a CKC: base64 text that was not decoded, JSON around the CKC, an HTML page of a proxy, an empty body.",
                "The CKC is for another SPC: cached, mixed up between requests, or created before the app's latest request.",
                "DASk was wrong, and so were the session key and R1: the ASk of another certificate, or a fixed or development DASk.",
                "R1 is not the 44 bytes of the SPC, or the content key or its IV is not 16 bytes long.",
                "A block of the tag return request is missing, or was re-encoded instead of returned unaltered.",
                "The CKC contains both an Offline Key and a Content Key Duration block.",
            ],
            whatToDo: [
                "Run keyway ckc inspect FILE on the data that the device received: it reports what the file actually is.",
                "Run keyway ckc open --spc SPC --ckc CKC --private-key KEY: it reports which rule the CKC violates.",
                "Check that the server verifies the integrity of the SPC. Otherwise, a wrong DASk stays undetected until here.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42672,
            name: "certificate-missing",
            meaning: "The app requested an SPC without providing an application certificate.",
            usualCauses: [
                "The request for the certificate failed or had not finished, and the empty result was used.",
                "In a browser: the server certificate was not set before the session was created.",
            ],
            whatToDo: [
                "Request the certificate first, check the status and size of the response, and then request the SPC.",
                "Run keyway certificate check FILE on the data that the server returns.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42673,
            name: "asset-id-missing",
            meaning: "The app requested an SPC without an asset ID.",
            usualCauses: [
                "The content identifier is taken from an empty part of the skd URI, such as its host.",
                "The conversion of the identifier to bytes failed, and the empty result was used.",
            ],
            whatToDo: [
                "Log the skd URI of the key request, and the bytes that the app derives from it.",
                "Use the same rule for deriving the asset ID from the URI in the packager, the key server, and the app.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42674,
            name: "version-list-missing",
            meaning: "The list of protocol versions for the SPC is missing.",
            usualCauses: [
                "The app sets the option for the protocol versions to an empty list.",
                "The key tag of the playlist has an empty KEYFORMATVERSIONS.",
            ],
            whatToDo: [
                "Do not set the option: the versions are negotiated by the playlist and the device, not by the app.",
                "Write KEYFORMATVERSIONS=\"1\" into EXT-X-KEY and EXT-X-SESSION-KEY.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42675,
            name: "invalid-asset-id",
            meaning: "The asset ID for the SPC is invalid.",
            usualCauses: [
                "It is shorter than 2 or longer than 200 bytes. UTF-16 and hexadecimal double the length.",
                "In Safari's older API: the length fields of the initialization data do not match its content.",
            ],
            whatToDo: [
                "Count the bytes that the app passes to the device.",
                "Use a short identifier, such as the key ID, instead of a URI with parameters.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42676,
            name: "spc-creation-failed",
            meaning: "The device could not create an SPC, and does not report the reason.",
            usualCauses: [
                "The app runs in a simulator, where FPS does not work.",
                "The certificate and the asset ID are valid, but are not passed in the form that the API expects.",
                "A temporary failure of the device.",
            ],
            whatToDo: [
                "Try a physical device, and a second one.",
                "Try the certificate and asset ID of a stream that plays.",
                "Retry once after a pause, then report the failure to the player.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42679,
            name: "invalid-certificate",
            meaning: "The data that was set as the application certificate is not a certificate.",
            usualCauses: [
                "It is PEM or base64 text, but the device requires DER.",
                "It is an error page, a redirect, or JSON instead of the certificate.",
                "It is another certificate: that of the web server, an intermediate one, or the signing request.",
            ],
            whatToDo: [
                "Run keyway certificate check FILE on exactly the data that the app downloads.",
                "Check the status of the download in the app. Serve DER, as GET /fps/certificate does.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42681,
            name: "invalid-version-list",
            meaning: "The list of protocol versions is invalid.",
            usualCauses: [
                "KEYFORMATVERSIONS is not a list of numbers separated by slashes: \"1,2\" instead of \"1/2\".",
                "It lists only versions that the device does not support.",
                "The app sets versions that contradict the playlist.",
            ],
            whatToDo: [
                "Write KEYFORMATVERSIONS=\"1\", unless your key server supports more versions.",
                "Remove version numbers from the app.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42783,
            name: "certificate-rejected",
            meaning: "The certificate is well-formed, but the device rejects it; it may have been revoked.",
            usualCauses: [
                "Apple did not issue it for FPS: for example, a certificate of keyway credentials new on a physical device.",
                "Apple has revoked it.",
                "It is an Apple certificate for another purpose, such as app signing.",
            ],
            whatToDo: [
                "Compare the certificate with the one in your developer account; keyway certificate check prints it.",
                "If it was revoked, request a new one, and configure both on the server until no app uses the old one.",
                "Ignore the expiry date: FPS does not enforce it.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42799,
            name: "persistent-key-outdated",
            meaning: "A security update of the device ended support for the format of this persistent key.",
            usualCauses: [
                "The key was stored before the update. The downloaded media is not affected."
            ],
            whatToDo: [
                "Delete the stored key, request a new persistent key from the server, and keep the downloaded media.",
                "Let the server issue the remaining time of the rental, whose start it has stored.",
            ],
            table: "Table 6-2 (persistence)"
        ),
        FPSErrorExplanation(
            code: -42800,
            name: "persistent-key-expired",
            meaning: "The persistent key has expired: its rental, storage duration, or playback duration has ended.",
            usualCauses: [
                "The viewer did not start within the storage duration, or did not finish within the playback duration.",
                "The server set a duration in days, but the unit is seconds.",
                "The app kept the first key, although the system had provided an updated one at the first playback.",
            ],
            whatToDo: [
                "Always request a renewal from the server; its policy decides whether it is granted.",
                "Compare the durations in the CKC with the policy: keyway ckc open prints them.",
                "Replace the stored key with the updated one.",
            ],
            table: "Table 6-2 (persistence)"
        ),
        FPSErrorExplanation(
            code: -42803,
            name: "invalid-offline-key",
            meaning: "The stored offline key cannot be used on this device.",
            usualCauses: [
                "The key is from another device: restored from a backup, or synchronized.",
                "The stored bytes are damaged or truncated, or belong to another asset.",
                "The key was invalidated, by its stream ID or by the title ID that it shares with other keys.",
                "The key was replaced, but the app used the one from before the first playback.",
            ],
            whatToDo: [
                "Delete the key, and request a new one from the server.",
                "Store persistent keys unchanged, one for each asset, and exclude them from backups.",
                "Answer key requests during AirPlay with a streaming key.",
            ],
            table: "Table 8-1"
        ),
        FPSErrorExplanation(
            code: -42811,
            name: "security-level-violation",
            meaning: "The CKC requires a higher security level than the device has.",
            usualCauses: [
                "A Baseline device plays a variant whose key requires Main.",
                "All variants share one key, so the level for UHD applies to SD as well.",
                "A video security level was set on the key of an audio track.",
            ],
            whatToDo: [
                "Use a separate key and policy for each tier, and the level Audio or none for audio tracks.",
                "Write ALLOWED-CPC into the Multivariant Playlist, so that devices select variants that they may play.",
                "Let the server check the level that the device reports: its refusal has a reason, while this code has none.",
            ],
            table: "Table 3-11"
        ),
    ]
}
