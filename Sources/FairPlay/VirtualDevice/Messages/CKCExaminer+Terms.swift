internal import ByteCoding

// The checks of the blocks with terms, and of the playback state that determines which of them are required.

extension CKCExaminer {
    // Table 4-2
    func checkPlaybackState() throws(CKCRefusal) -> CKCExamination.Verdict {
        guard !reader.isSyncSPC else {
            throw CKCRefusal("sync-spc", "the SPC is a Sync SPC: it reports on persistent keys, and requests no key")
        }
        guard let number = reader.playbackState else { return .passed("none in the SPC") }
        switch reader.state {
        case .readyToStart: return .passed("state 1, ready to start: requires a content key")
        case .playing: return .passed("state 2, playing or paused: requires a content key duration, no content key")
        case .leaseAboutToExpire: return .passed("state 3, lease about to expire: requires a content key")
        case .halted:
            throw CKCRefusal(
                "playback-halted",
                "the SPC reports that playback has halted, so it must not get a key"
            )
        case nil:
            return .noted(["the guide does not define the state \(hexadecimal(number)); a content key is required"])
        }
    }

    // Tables 2-11, 4-2, 4-3, 4-4 and 5-1
    mutating func checkDuration() throws(CKCRefusal) -> CKCExamination.Verdict {
        let hasOfflineKey = own[CKCTag.offlineKey] != nil
        guard
            let duration = try content(
                CKCTag.contentKeyDuration,
                { value throws(ParseError) in try ReceivedKeyDuration(value) }
            )
        else {
            switch reader.state {
            case .playing:
                throw CKCRefusal(
                    "missing-content-key-duration",
                    "a response to playback state 2 must contain a content key duration"
                        + (hasOfflineKey ? "; an offline key does not replace it" : "")
                )
            case .leaseAboutToExpire:
                return .passed("none: no limit, although the device requests a new lease")
            default: return .passed(hasOfflineKey ? "none" : "none: no limit")
            }
        }
        guard !hasOfflineKey else {
            throw CKCRefusal(
                "conflicting-blocks",
                "the CKC contains both an offline key and a content key duration"
            )
        }
        guard reader.playbackState != nil else {
            throw CKCRefusal(
                "unexpected-content-key-duration",
                "the CKC contains a content key duration, but the SPC has no playback state"
            )
        }
        self.duration = duration
        // A server without a limit answers state 2 with a duration of 0.
        let notes = reader.state == .playing ? [] : duration.notes
        guard !notes.isEmpty else { return .passed(duration.summary) }
        return .noted([([duration.summary] + notes).joined(separator: "; ")])
    }

    // Table 6-1
    mutating func checkOfflineKey() throws(CKCRefusal) -> CKCExamination.Verdict {
        offlineKey = try content(CKCTag.offlineKey) { value throws(ParseError) in try ReceivedOfflineKey(value) }
        guard let offlineKey else { return .passed("none") }
        let needed: DeviceProfile.Capabilities =
            offlineKey.version == 2 ? [.offlineKey, .offlineKeyVersion2] : .offlineKey
        guard reader.receiver.capabilities.contains(needed) else {
            throw CKCRefusal(
                "offline-key-unsupported",
                "the device has no capability for version \(offlineKey.version) of the offline key"
            )
        }
        func text(_ seconds: UInt32) -> String { seconds == 0 ? "no limit" : "\(seconds) s" }
        return .passed(
            "version \(offlineKey.version): storage \(text(offlineKey.storageDuration)), playback "
                + text(offlineKey.playbackDuration)
        )
    }

    // Tables 3-9, 3-10 and 3-11
    mutating func checkSecurityLevel() throws(CKCRefusal) -> CKCExamination.Verdict {
        let parsed = try content(CKCTag.requiredSecurityLevel) { value throws(ParseError) in
            (try ReceivedSecurityLevel(value), ReceivedSecurityLevel.hasReservedField(value))
        }
        guard let (required, hasReservedField) = parsed else { return .passed("none required") }
        securityLevel = required
        var notes: [String] = []
        if hasReservedField { notes.append("the reserved field of the required security level is not 0") }
        if required == .main {
            switch reader.receiver.securityLevel {
            case .main: break
            case .baseline:
                throw CKCRefusal(
                    "security-level-violation",
                    .securityLevelTooLow.because("Main is required, and the device is Baseline")
                )
            case nil: notes.append("Main is required, and the SPC does not report the device's security level")
            }
        }
        return notes.isEmpty ? .passed(required.name) : .noted(notes)
    }

    // Tables 3-2, 3-12 and 3-13
    mutating func checkHDCP() throws(CKCRefusal) -> CKCExamination.Verdict {
        hdcp = try content(CKCTag.hdcpEnforcement) { value throws(ParseError) in try ReceivedHDCPLevel(value) }
        guard let hdcp else { return .passed("none: the device enforces Type 0") }
        guard hdcp != .type1 || reader.receiver.capabilities.contains(.hdcpEnforcement) else {
            return .noted(["Type 1; the device does not declare that it can enforce it (capability 0)"])
        }
        return .passed(hdcp.name)
    }
}
