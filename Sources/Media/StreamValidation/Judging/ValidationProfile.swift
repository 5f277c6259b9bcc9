/// A choice of rules for a validation.
public enum ValidationProfile: String, Sendable, CaseIterable {
    /// HLS with the requirements of Apple's authoring specification.
    case apple
    /// The rules about the container alone, for the same media files in HLS and in other protocols: fragmented MP4, its
    /// encryption and its times, and Apple's page "About the Common Media Application Format with HLS".
    case cmaf
    /// All rules.
    case all

    /// The requirements of Apple's authoring specification that are about media files in fragmented MP4.
    private static let containerSections: Set<String> = [
        "1.5", "1.10", "1.14", "1.39", "2.17", "2.19", "2.24", "2.25", "7.1", "7.3", "7.4", "8.20", "13.7", "16.2",
    ]
    /// The sections of the draft that are about media files, and those about keys in them.
    private static let draftSections: Set<String> = ["3.1", "3.1.1", "4.4.4.5", "6.2.1"]

    /// True if a rule with a number belongs to the profile.
    public func includes(_ number: RuleNumber) -> Bool {
        let isContainer =
            switch number.source {
            case "cmaf": true
            case ValidationTarget.general.rawValue: Self.containerSections.contains(number.section)
            case "8216bis": Self.draftSections.contains(number.section)
            default: false
            }
        return switch self {
        case .apple: number.source != "cmaf"
        case .cmaf: isContainer
        case .all: true
        }
    }
}
