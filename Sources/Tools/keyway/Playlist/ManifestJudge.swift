import DASHManifest
import HLSPlaylist

/// Judges DASH manifests. Nothing that they name is read: the rules are about the manifest alone.
struct ManifestJudge: Sendable {
    let checker: MPDChecker

    /// A manifest that the user has named, as it was read.
    struct Subject: Sendable {
        /// What the user calls it.
        let name: String
        /// What it says, or why it cannot be read.
        let manifest: Result<MPD, ManifestError>
    }

    /// Whether bytes are meant to be a manifest: an XML document whose first element is an MPD.
    static func isManifest(_ bytes: [UInt8]) -> Bool {
        let beginning = String(decoding: bytes.prefix(4096), as: UTF8.self)
        guard let element = beginning.firstMatch(of: #/<(?:[A-Za-z_][A-Za-z0-9_.\-]*:)?([A-Za-z_][A-Za-z0-9_.\-]*)/#)
        else { return false }
        let before = beginning[..<element.range.lowerBound]
        return element.1 == "MPD" && (before.allSatisfy { $0.isWhitespace || $0 == "\u{FEFF}" } || before.contains("<"))
    }

    /// Reads a manifest.
    static func read(_ bytes: [UInt8], name: String) -> Subject {
        Subject(name: name, manifest: Result { () throws(ManifestError) in try MPD(bytes) })
    }

    /// Judges a manifest.
    func check(_ subject: Subject) -> CheckFindings {
        var found = CheckFindings()
        switch subject.manifest {
        case .success(let manifest):
            found.files = [.init(name: subject.name, kind: Self.kind, problem: nil)]
            found.findings = checker.check(manifest).map { CheckFinding($0, name: subject.name) }
        case .failure(let error):
            found.files = [.init(name: subject.name, kind: nil, problem: "\(error)")]
            found.findings = [CheckFinding(error, name: subject.name)]
        }
        return found
    }

    /// Judges what changed between two states of one manifest.
    func check(from before: Subject, to after: Subject) -> [CheckFinding] {
        guard case .success(let first) = before.manifest, case .success(let second) = after.manifest else { return [] }
        return checker.check(reloadFrom: first, to: second).map { CheckFinding($0, name: after.name) }
    }

    /// What a manifest is called in reports.
    static let kind = "manifest"
}

extension CheckFinding {
    /// A finding about a manifest: its place is among elements, not lines.
    init(_ finding: MPDFinding, name: String) {
        self.init(
            aboutManifest: RuleID(rawValue: finding.rule),
            severity: Diagnostic.Severity(finding.severity),
            file: name,
            message: "\(finding.place): \(finding.reason)"
        )
    }

    /// Why a manifest cannot be read.
    init(_ error: ManifestError, name: String) {
        self.init(
            aboutManifest: RuleID(rawValue: error.code.rawValue),
            severity: .error,
            file: name,
            message: "\(error)"
        )
    }
}
