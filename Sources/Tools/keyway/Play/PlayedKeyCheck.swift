import HLSPlaylist
import MediaDecryption
import SampleEncryption
import StreamValidation
import ToolSupport

/// Checks whether keys are those of a presentation, as `keyway validate` does: by the frames of the first segment of each
/// playlist.
struct PlayedKeyCheck: ValidationKeySource {
    /// The keys by the URIs of their tags.
    let keys: [String: DecryptionKey]

    let deviceClasses: [String] = []
    let requestsPersistentKeys = false

    func supports(_ tag: KeyTag) -> Bool { tag.keyFormat == .fairPlay && tag.uri.map { keys[$0] != nil } == true }

    func license(for request: ValidationKeyRequest) async -> ValidationLicense {
        guard let key = request.tag.uri.flatMap({ keys[$0] }) else {
            return ValidationLicense(failure: "the device has no key for it")
        }
        return ValidationLicense(key: key.key, iv: key.iv?.bytes)
    }

    /// Returns the failure for the first track that its key does not open; nil if every key opens its track, or if no test
    /// applies to the codecs.
    ///
    /// - Parameter path: The path of the playlist.
    func failure(path: String) async -> CommandFailure? {
        let location = PlaylistLocation.file(path)
        var settings = StreamValidator.Settings()
        settings.sampling = .first
        let resources = StreamResources(root: location, loader: PlaylistLoader(), allowsPrivateHosts: false)
        var validator = StreamValidator(resources: resources, settings: settings)
        (validator.keySource, validator.decoder) = (self, FFmpegDecoder.installed)
        guard let report = try? await validator.validate(location.base) else { return nil }
        let found = report.presentation.renditions.lazy.flatMap(\.segments).flatMap(\.decryptions)
        guard let wrong = found.first(where: { $0.verdict == .wrongKey }) else { return nil }
        return .input(
            "key-wrong: the key of \(wrong.key.printedURI) does not open the media, so the decrypted media are damaged",
            next: "register the key that the packager used; keyway doctor shows more"
        )
    }
}
