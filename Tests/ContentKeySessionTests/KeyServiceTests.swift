import ContentKeySession
import Testing

@Suite("KeyService")
struct KeyServiceTests {
    @Test("Trailing slashes of Keyway's server are ignored", arguments: ["", "/", "//"])
    func trailingSlashes(slashes: String) {
        let service = OfflineKeyService.keyway("https://keys.example/drm" + slashes)
        #expect(service.keys.certificateURL == "https://keys.example/drm/fps/certificate")
        #expect(service.keys.licenseURL == "https://keys.example/drm/fps/license")
        #expect(service.keys.batchURL == "https://keys.example/drm/fps/licenses")
        #expect(service.challengeURL == "https://keys.example/drm/fps/challenge")
    }
}
