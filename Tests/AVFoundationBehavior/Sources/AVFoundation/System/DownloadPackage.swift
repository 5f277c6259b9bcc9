import Foundation

/// A download on the disk, as its folder says it: *.movpkg with a description and the names of what was loaded.
package struct DownloadPackage: Codable, Sendable {
    /// The URL of the Multivariant Playlist.
    package var source: URL
    package var content: StreamContent
    /// The selections whose renditions were loaded completely.
    package var selections: [StreamContent.Selection] = []
    package var variants: [StreamContent.Variant] = []
    /// AES-128 keys that the system fetched from the network, by URI.
    package var keys: [String: Data] = [:]
    /// True once a variant with the renditions of one selection is loaded (rule 118).
    package var isComplete = false

    func contains(_ rendition: StreamContent.Rendition) -> Bool {
        selections.contains { $0.all.contains(rendition) }
    }

    // MARK: Files

    private static let file = "package.json"

    /// Reads a package; nil if it does not exist, or nothing in it is readable.
    init?(at location: URL) {
        guard let data = try? Data(contentsOf: location.appendingPathComponent(Self.file)),
            let package = try? JSONDecoder().decode(DownloadPackage.self, from: data)
        else { return nil }
        self = package
    }

    init(source: URL, content: StreamContent) { (self.source, self.content) = (source, content) }

    /// Writes the package. The folder of the packages is the system's: a failure is one of the test's environment.
    func write(to location: URL) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)
            try encoder.encode(self).write(to: location.appendingPathComponent(Self.file))
        } catch {
            assertionFailure("\(location.path): \(error)")
        }
    }
}
