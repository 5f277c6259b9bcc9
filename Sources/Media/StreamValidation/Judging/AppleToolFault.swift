public import HLSPlaylist

/// A known fault of Apple's mediastreamvalidator and hlsreport, in which the rules of this library differ on purpose. The
/// faults were reported in public by users of the tools.
public struct AppleToolFault: Hashable, Sendable {
    /// The numbers of the requirements that it is about.
    public let sections: Set<String>
    /// The rules for the text of playlists that it is about.
    public let rules: Set<RuleID>
    /// The behavior of Apple's tool, and that of this library.
    public let summary: String

    private init(_ sections: Set<String> = [], rules: Set<RuleID> = [], _ summary: String) {
        (self.sections, self.rules, self.summary) = (sections, rules, summary)
    }

    /// The known faults.
    public static let all: [AppleToolFault] = [
        .init(
            ["11.1", "11.2", "11.3", "12"],
            "Apple's tool reports missing TLS where it does not know the connection; here an unknown value violates no rule."
        ),
        .init(
            rules: ["part-hold-back-missing"],
            "Apple's tool requires the attribute of I-frame playlists too; here only playlists with Partial Segments need it."
        ),
        .init(
            rules: ["rendition-report-missing"],
            "Apple's tool requires rendition reports of the only Media Playlist; here only other playlists count."
        ),
        .init(
            ["9.1"],
            "Apple's tool takes HE-AAC for AAC-LC and then reports CODECS; here both are told apart."
        ),
        .init(
            ["10.4"],
            "Apple's tool reports text/vtt and expects text/plain; here both are allowed."
        ),
        .init(
            ["10.2"],
            "Apple's tool looks only for identifiers of failover variants; here the attributes of pairs are compared."
        ),
        .init(
            ["1.32"],
            "Apple's tool requires the defaults for cellular and for Wi-Fi at the same time; here one of them is enough."
        ),
        .init(
            ["1.1", "2.2"],
            "Apple's tool reports several problems for one unknown codec; here only the codec is reported."
        ),
        .init(
            ["13.2", "13.7"],
            "Apple's tool validates only variants that are not encrypted; here encrypted variants are measured too."
        ),
    ]
}
