import DRMSignaling
import KeyStore

extension SPEKERequest {
    /// Checks that the request can be answered, independent of the keys, before any key is created.
    ///
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix`.
    func requireSupported(at time: Int64) throws(ProblemDocument) {
        do throws(SignalingError) {
            for system in document.systems {
                _ = try system.answered(
                    scheme: scheme,
                    keyURI: "skd://" + system.keyID.hexadecimal,
                    version: document.version
                )
            }
            if !document.deliveryData.isEmpty { try document.checkRecipients(at: time) }
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Returns the request document with keys, initialization vectors and data of protection systems; everything else
    /// is unchanged. If the request names recipients, the keys are encrypted for them.
    ///
    /// - Parameters:
    ///   - records: The keys by key ID.
    ///   - protections: The output protection to announce, by key ID.
    ///   - time: The time in Unix seconds.
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix`.
    func response(
        _ records: [ContentKeyID: ContentRecord],
        _ protections: [ContentKeyID: OutputProtection],
        at time: Int64
    ) throws(ProblemDocument) -> CPIXDocument {
        var response = document
        response.history = []
        for (index, key) in document.contentKeys.enumerated() {
            guard let record = records[key.keyID] else { continue }
            response.contentKeys[index].value = .plain(record.contentKey)
            // With cenc, each sample has its own initialization vector.
            let hasIV = scheme == .cbcs || key.explicitIV != nil
            response.contentKeys[index].explicitIV = hasIV ? record.iv : nil
            if let level = protections[key.keyID]?.hdcp {
                var hdcp = CPIXDocument.HDCPData(level: level)
                hdcp.extensions = key.hdcp?.extensions ?? .init()
                response.contentKeys[index].hdcp = hdcp
            }
        }
        do throws(SignalingError) {
            for (index, system) in document.systems.enumerated() {
                guard let record = records[system.keyID] else { continue }
                response.systems[index] = try system.answered(
                    scheme: scheme,
                    keyURI: Self.keyURI(record.info),
                    version: document.version
                )
            }
            for (index, system) in response.systems.enumerated() where system.systemID == .fairPlay {
                guard let value = protections[system.keyID]?.allowedCPC(for: [.fairPlay]) else { continue }
                response.systems[index].allowedCPC = value
            }
            if !response.deliveryData.isEmpty { try response.encryptKeys(at: time) }
        } catch {
            throw Self.refusal(error)
        }
        return response
    }

    private static func refusal(_ error: SignalingError) -> ProblemDocument {
        ProblemDocument(.unacceptableCPIX, detail: "\(error).", reason: error.code.rawValue)
    }

    /// Returns the key URI for FairPlay playlists: `skd://` and the asset ID, by which a license request finds the key.
    private static func keyURI(_ info: ContentInfo) throws(SignalingError) -> String {
        guard let text = String(validating: info.assetID, as: UTF8.self) else {
            throw SignalingError(.invalidKeyURI, "FairPlay", "the key's asset ID is not UTF-8, as a URI requires")
        }
        return "skd://" + text
    }
}
