import DASHManifest
import HLSPlaylist

/// A checker for DASH manifests. It reads only the manifest, not the segments that the manifest references.
struct ManifestChecker: Sendable {
    let mpdChecker: MPDChecker

    /// A manifest from the command line.
    struct Subject: Sendable {
        /// The name of the manifest in output.
        let name: String
        /// The parsed manifest, or the parsing error.
        let manifest: Result<MPD, ManifestError>
    }

    /// Returns whether the content is a manifest: an XML document whose root element is MPD.
    static func isManifest(_ bytes: [UInt8]) -> Bool {
        let beginning = String(decoding: bytes.prefix(4096), as: UTF8.self)
        guard let element = beginning.firstMatch(of: #/<(?:[A-Za-z_][A-Za-z0-9_.\-]*:)?([A-Za-z_][A-Za-z0-9_.\-]*)/#)
        else { return false }
        let before = beginning[..<element.range.lowerBound]
        return element.1 == "MPD" && (before.allSatisfy { $0.isWhitespace || $0 == "\u{FEFF}" } || before.contains("<"))
    }

    /// Parses a manifest.
    static func read(_ bytes: [UInt8], name: String) -> Subject {
        Subject(name: name, manifest: Result { () throws(ManifestError) in try MPD(bytes) })
    }

    /// Checks a manifest.
    func check(_ subject: Subject) -> CheckFindings {
        var found = CheckFindings()
        switch subject.manifest {
        case .success(let manifest):
            found.files = [.init(name: subject.name, kind: Self.kind, problem: nil)]
            found.findings = mpdChecker.check(manifest).map { CheckFinding($0, name: subject.name) }
        case .failure(let error):
            found.files = [.init(name: subject.name, kind: nil, problem: "\(error)")]
            found.findings = [CheckFinding(error, name: subject.name)]
        }
        return found
    }

    /// Checks the changes between two versions of one manifest.
    func check(from before: Subject, to after: Subject) -> [CheckFinding] {
        guard case .success(let first) = before.manifest, case .success(let second) = after.manifest else { return [] }
        return mpdChecker.check(reloadFrom: first, to: second).map { CheckFinding($0, name: after.name) }
    }

    /// The file type of a manifest in reports.
    static let kind = "manifest"
}

extension CheckFinding {
    /// Creates a finding about a manifest. Its location is an element, not a line.
    init(_ finding: MPDFinding, name: String) {
        self.init(
            aboutManifest: RuleID(rawValue: finding.rule),
            severity: Diagnostic.Severity(finding.severity),
            file: name,
            message: "\(finding.place): \(finding.reason)"
        )
    }

    /// Creates a finding for a manifest that cannot be parsed.
    init(_ error: ManifestError, name: String) {
        self.init(
            aboutManifest: RuleID(rawValue: error.code.rawValue),
            severity: .error,
            file: name,
            message: "\(error)"
        )
    }
}
