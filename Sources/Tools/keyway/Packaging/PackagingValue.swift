import ArgumentParser
import DRMSignaling
import Foundation
import Packager
import ToolSupport

extension PackagingJob.Container: ChoiceArgument {}
extension PackagingJob.Manifest: ChoiceArgument {}

/// An encryption scheme on the command line.
enum SchemeArgument: String, ChoiceArgument {
    case cbcs
    case cenc
    case sampleAES = "sample-aes"
    case aes128 = "aes-128"
    case none

    /// The scheme; nil to leave the media clear.
    var scheme: TrackProtection.Scheme? { TrackProtection.Scheme(rawValue: rawValue) }
}

/// A rule for HDCP-LEVEL or ALLOWED-CPC on the command line.
///
///     rule = ( class | variant ) "=" value
struct OutputProtectionRule: Hashable, Sendable {
    /// The attribute of a playlist that a rule determines.
    enum Attribute {
        case hdcpLevel
        case allowedCPC
    }

    private let attribute: Attribute
    private let text: String

    /// Parses a rule.
    init(_ attribute: Attribute, _ text: String) throws(ValidationError) {
        self.attribute = attribute
        self.text = text
        var rules = OutputProtectionRules()
        do throws(SignalingError) { try add(to: &rules) } catch { throw ValidationError(error.reason) }
    }

    /// Creates a rule for the HDCP level of a class.
    init(_ level: HDCPRequirement, of trackClass: TrackClass) {
        attribute = .hdcpLevel
        text = "\(trackClass.rawValue)=\(level.rawValue)"
    }

    static func hdcpLevel(_ text: String) throws(ValidationError) -> OutputProtectionRule {
        try OutputProtectionRule(.hdcpLevel, text)
    }

    static func allowedCPC(_ text: String) throws(ValidationError) -> OutputProtectionRule {
        try OutputProtectionRule(.allowedCPC, text)
    }

    /// Adds the rule to others.
    func add(to rules: inout OutputProtectionRules) throws(SignalingError) {
        switch attribute {
        case .hdcpLevel: try rules.require(hdcp: text)
        case .allowedCPC: try rules.require(cpc: text)
        }
    }
}

/// The key of a track class on the command line.
///
///     argument = class "=" key
struct TrackKeyArgument: Sendable {
    let trackClass: TrackClass
    let key: ContentKeyArgument

    /// Parses an argument. The error does not contain it, because it may contain a key.
    static func parse(_ text: String) throws(ValidationError) -> TrackKeyArgument {
        guard let sign = text.firstIndex(of: "="), let trackClass = TrackClass(parsing: text[..<sign]) else {
            throw ValidationError(
                "expected CLASS=KEY, such as HD=@hd.key; classes are "
                    + TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return TrackKeyArgument(
            trackClass: trackClass,
            key: ContentKeyArgument(argument: String(text[text.index(after: sign)...]))
        )
    }
}

/// The parsers of values whose errors have a reason of their own.
enum PackagingValue {
    static func input(_ text: String) throws(ValidationError) -> PackagingJob.Input {
        do throws(JobFailure) { return try PackagingJob.Input(parsing: text) } catch {
            throw ValidationError(error.reason)
        }
    }

    /// A folder, or the URL of a server to which a live presentation is uploaded.
    static func output(_ text: String) throws(ValidationError) -> String {
        if let url = PackagingSettings.uploadURL(text) {
            guard url.host() != nil, url.query() == nil, url.fragment() == nil, url.user() == nil else {
                throw ValidationError("expected the URL of a folder, without user name and query")
            }
            return text
        }
        return try workFolder(text)
    }

    static func workFolder(_ text: String) throws(ValidationError) -> String {
        if let reason = OutputPath.refusal(text) { throw ValidationError(reason) }
        return text
    }

    static func keyID(_ text: String) throws(ValidationError) -> ContentKeyID {
        do throws(SignalingError) { return try ContentKeyID(parsing: text) } catch {
            throw ValidationError(error.reason)
        }
    }

    static func keyURI(_ text: String) throws(ValidationError) -> KeyURITemplate {
        do throws(SignalingError) { return try KeyURITemplate(text) } catch { throw ValidationError(error.reason) }
    }

    static func hdcpLevel(_ text: String) throws(ValidationError) -> HDCPRequirement {
        guard let level = HDCPRequirement(parsing: text) else {
            throw ValidationError("expected NONE, TYPE-0, or TYPE-1, not '\(text)'")
        }
        return level
    }

    static func systems(_ text: String) throws(ValidationError) -> [ProtectionSystem] {
        do throws(SignalingError) { return try ProtectionSystem.parse(list: text) } catch {
            throw ValidationError(error.reason)
        }
    }

    static func manifests(_ text: String) throws(ValidationError) -> Set<PackagingJob.Manifest> {
        var manifests: Set<PackagingJob.Manifest> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let manifest = PackagingJob.Manifest(argument: word.filter { !$0.isWhitespace }) else {
                throw ValidationError("expected hls, dash, or hls,dash, not '\(text)'")
            }
            manifests.insert(manifest)
        }
        return manifests
    }
}
