import DRMSignaling
import FPSCrypto
import KeyStore

@testable import KeyServer

/// A request document for two keys, as sent by encoders, which tests modify.
func spekeDocument(
    _ contentID: String = "film",
    keys: [(keyID: ContentKeyID, type: String)] = [(spekeKeyID(1), "HD"), (spekeKeyID(2), "AUDIO")],
    scheme: String = "cbcs",
    systems: [SystemID] = [.fairPlay, .widevine, .playReady]
) -> CPIXDocument {
    var document = CPIXDocument(contentID: contentID)
    for (keyID, type) in keys {
        document.contentKeys.append(.init(keyID: keyID, key: nil, scheme: scheme))
        document.usageRules.append(spekeRule(keyID, type))
        for system in systems { document.systems.append(.init(keyID: keyID, systemID: system)) }
    }
    return document
}

/// Returns a usage rule with the filters that its track type requires.
func spekeRule(_ keyID: ContentKeyID, _ type: String) -> CPIXDocument.UsageRule {
    let parts = type == "ALL" ? ["AUDIO", "VIDEO"] : type.split(separator: "+").map(String.init)
    let audioCount = parts.filter { $0.contains("AUDIO") }.count
    return .init(
        keyID: keyID,
        intendedTrackType: type,
        videoFilters: Array(repeating: .init(), count: parts.count - audioCount),
        audioFilters: Array(repeating: .init(), count: audioCount)
    )
}

/// Returns a key ID that ends with a number.
func spekeKeyID(_ number: UInt8) -> ContentKeyID {
    ContentKeyID([UInt8](repeating: 0xA0, count: 15) + [number])!
}

extension LicenseServer {
    /// Sends a request like an encoder.
    func speke(
        _ xml: [UInt8],
        token: String? = LicenseServer.token,
        version: String? = "2.0",
        type: String? = "application/xml",
        path: String = SPEKERoutes.path
    ) async throws -> ReceivedResponse {
        var headers: [String: String] = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if let version { headers["X-Speke-Version"] = version }
        if let type { headers["Content-Type"] = type }
        return try await ReceivedResponse.of("POST", "http://127.0.0.1:\(adminPort)\(path)", headers, xml)
    }

    /// Sends a document in its version, with the version of SPEKE that uses it.
    func speke(_ document: CPIXDocument, token: String? = LicenseServer.token) async throws -> ReceivedResponse {
        try await speke(document.xml, token: token, version: document.version == .v2_4 ? "2.1" : "2.0")
    }
}
