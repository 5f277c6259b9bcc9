public import HLSPlaylist

/// A rule about what was measured in a presentation: the requirement, its level, and the check that finds violations.
public struct ValidationRule: Sendable, Identifiable {
    /// How serious a violation is.
    public enum Level: String, Sendable, Comparable, CaseIterable {
        /// Advice.
        case advice
        /// A SHOULD is violated.
        case should
        /// A MUST is violated.
        case must
        /// The presentation does not play, or not all of it.
        case critical

        /// Orders advice before SHOULD, MUST and critical.
        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The data that is needed to check a rule.
    public enum Need: String, Sendable, CaseIterable {
        /// The text of playlists.
        case playlist
        /// The headers of HTTP responses.
        case http
        /// The init segment, or the first tables of a transport stream.
        case initialization
        /// The bytes of segments, encrypted or not.
        case media
        /// Decrypted segments.
        case decryptedMedia
        /// Decoded audio.
        case decodedMedia
        /// Several loads of a live playlist.
        case reloads
    }

    /// The stable name.
    public let id: RuleID
    /// The level of a violation. A check can lower it for a finding.
    public let level: Level
    /// The number in Apple's authoring specification with the target and the revision, such as
    /// `general:1.27@2025-06-26`; or a section of RFC 8216bis, such as `8216bis:4.4.4.8`. ``RuleNumber`` parses it.
    public let number: String
    /// The data that is needed to check the rule.
    public let need: Need
    /// The requirement, on one line.
    public let summary: String
    /// The correction of a violation, on one line.
    public let advice: String
    let check: @Sendable (MeasuredPresentation, inout ValidationFindings) -> Void

    init(
        _ id: RuleID,
        _ level: Level,
        _ number: String,
        _ need: Need,
        _ summary: String,
        advice: String,
        _ check: @escaping @Sendable (MeasuredPresentation, inout ValidationFindings) -> Void
    ) {
        (self.id, self.level, self.need) = (id, level, need)
        self.number = number.contains(":") ? number : "general:\(number)@2025-06-26"
        (self.summary, self.advice) = (summary, advice)
        self.check = check
    }

    /// Creates a rule that is checked for each Media Playlist by itself.
    static func rendition(
        _ id: RuleID,
        _ level: Level,
        _ number: String,
        _ need: Need,
        _ summary: String,
        advice: String,
        _ check: @escaping @Sendable (MeasuredRendition, inout ValidationFindings) -> Void
    ) -> ValidationRule {
        ValidationRule(id, level, number, need, summary, advice: advice) { presentation, findings in
            for rendition in presentation.renditions { check(rendition, &findings) }
        }
    }

    /// All rules, grouped by family.
    public static let all: [ValidationRule] =
        loadingRules + transportRules + bitRateRules + iFrameRateRules + timingRules + pictureRules + formatRules
        + encryptionRules
        + deliveryRules
        + cachingRules + tlsRules + containerRules + codecRules + videoFormatRules + audioRules + separateAudioRules
        + loudnessRules + measuredLoudnessRules
        + subtitleRules
        + alignmentRules
        + protectionRules + systemHeaderRules + referenceRules + interstitialRules
        + targetRules + targetMediaRules + targetFormatRules + cmafRules
        + liveRules + lowLatencyRules
        + keyRules + licenseRules

    /// The rules that only a target or the profile ``ValidationProfile/cmaf`` has.
    static let optionalIDs = Set(all.lazy.map(CatalogRule.init).filter(\.isOptional).map(\.id))
}

/// A violation of a rule.
public struct ValidationFinding: Hashable, Sendable {
    /// How certain a finding is.
    public enum Confidence: String, Hashable, Sendable {
        /// The loaded resources prove the violation.
        case proved
        /// Only a part of the segments was loaded.
        case estimate
    }

    /// A place in a presentation.
    public struct Place: Hashable, Sendable {
        /// The playlist: a resolved URI or a path.
        public var playlist: String
        /// The line in the playlist, from 1; 0 for the whole playlist.
        public var line: Int
        /// The Media Sequence Number of the segment, if the finding is about one.
        public var sequence: UInt64?
        /// The URI of the segment as in the playlist.
        public var segment: String?
        /// The time of the segment in seconds from the start of the playlist.
        public var time: Double?

        /// Creates a place for a whole playlist, or for a line of it.
        public init(_ playlist: String, line: Int = 0) { (self.playlist, self.line) = (playlist, line) }

        /// Creates a place for a segment.
        public init(_ rendition: MeasuredRendition, _ segment: MeasuredSegment) {
            self.init(rendition.name, line: segment.line)
            (sequence, self.segment, time) = (segment.sequence, segment.uri, segment.start)
        }
    }

    /// The rule.
    public var rule: RuleID
    /// The level.
    public var level: ValidationRule.Level
    /// The place of the first violation.
    public var place: Place
    /// The description of the violation, in one sentence.
    public var message: String
    /// The measured value, with its unit; nil if nothing was measured.
    public var measured: String?
    /// The required value, with its unit.
    public var limit: String?
    /// How certain the finding is.
    public var confidence = Confidence.proved
    /// The number of violations in the playlist.
    public var count = 1
    /// The place of the last violation, if there are several.
    public var last: Place?
}

/// Collects the findings of one rule.
struct ValidationFindings {
    let rule: ValidationRule
    private(set) var findings: [ValidationFinding] = []

    init(_ rule: ValidationRule) { self.rule = rule }

    /// Adds a finding. Findings of a playlist with the same level in a row are one finding with a count.
    mutating func report(
        _ place: ValidationFinding.Place,
        _ message: String,
        measured: String? = nil,
        limit: String? = nil,
        level: ValidationRule.Level? = nil,
        confidence: ValidationFinding.Confidence = .proved
    ) {
        var finding = ValidationFinding(
            rule: rule.id,
            level: level ?? rule.level,
            place: place,
            message: message,
            measured: measured,
            limit: limit
        )
        finding.confidence = confidence
        if let last = findings.last, place.sequence != nil, last.place.sequence != nil, last.level == finding.level,
            last.place.playlist == place.playlist
        {
            findings[findings.count - 1].count += 1
            findings[findings.count - 1].last = place
            return
        }
        findings.append(finding)
    }
}
