import FPSCrypto
import HLSPlaylist
import MediaDecryption
import SampleEncryption
import StreamValidation
import TextCoding
import ToolSupport
import VirtualDevice

/// The sources of keys of `keyway validate`: given keys, virtual devices, and the URIs of clear keys, in this order.
struct ValidationKeys: ValidationKeySource {
    /// The maximum size of the response to a request for a clear key in bytes. A key has 16 or 32.
    private static let maximumKeySize = 4096

    /// The keys of files and variables.
    var given = GivenKeys()
    /// The virtual devices; nil without a key server.
    var devices: DeviceKeyRequests?
    /// The loader of clear keys; nil if they are not loaded.
    let resources: StreamResources?
    var requestsPersistentKeys = false

    init(resources: StreamResources?) { self.resources = resources }

    var deviceClasses: [String] { devices?.profiles.map(\.name) ?? [] }

    func supports(_ tag: KeyTag) -> Bool {
        if !given.isEmpty || tag.uri.map(DataURI.isDataURI) == true && tag.keyFormat == .identity { return true }
        switch tag.keyFormat {
        case .fairPlay: return devices != nil
        case .identity: return resources != nil
        default: return false
        }
    }

    func license(for request: ValidationKeyRequest) async -> ValidationLicense {
        if !request.isPersistent, let key = given.key(for: request) {
            return ValidationLicense(key: key.key, iv: key.iv?.bytes)
        }
        let tag = request.tag
        if tag.keyFormat == .fairPlay, let devices { return await devices.license(for: request) }
        guard tag.keyFormat == .identity, let uri = tag.uri else {
            return ValidationLicense(failure: "no key was given for it")
        }
        if DataURI.isDataURI(uri) { return Self.license(DataURI(uri)?.bytes, tag) }
        guard let resources else { return ValidationLicense(failure: "no key was given for it") }
        let url = URIReference.resolve(uri, against: request.playlist)
        do throws(ResourceFailure) {
            let loaded = try await resources.load(
                StreamResourceRequest(url: url, purpose: .segment, maximumSize: Self.maximumKeySize)
            )
            return Self.license(loaded.bytes, tag)
        } catch {
            return ValidationLicense(failure: error.reason)
        }
    }

    private static func license(_ bytes: [UInt8]?, _ tag: KeyTag) -> ValidationLicense {
        guard let bytes else { return ValidationLicense(failure: "the data: URI of the key is malformed (RFC 2397)") }
        let size = tag.method == .aes256GCM ? AES256GCM.keySize : 16
        guard bytes.count == size else {
            return ValidationLicense(failure: "the key has \(counted(bytes.count, "byte")), must have \(size)")
        }
        return ValidationLicense(key: SecretBytes(copying: bytes))
    }
}
