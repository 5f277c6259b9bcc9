import DRMSignaling
import KeyStore

extension SPEKEQuestion {
    /// Holds that the question can be answered, whatever the keys are: before any is made.
    ///
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix`.
    func checkAnswerable(at time: Int64) throws(ProblemDocument) {
        do throws(SignalingError) {
            for system in document.systems {
                _ = try system.answered(scheme: scheme, keyURI: "skd://" + system.keyID.hexadecimal)
            }
            if !document.deliveryData.isEmpty { try document.checkRecipients(at: time) }
        } catch {
            throw Self.refusal(error)
        }
    }

    /// The question with its answers: keys, initialization vectors and what protection systems say of them; everything else
    /// as it was asked. Where recipients are named, the keys are encrypted to them.
    ///
    /// - Parameters:
    ///   - records: The keys, by key ID.
    ///   - time: Unix seconds.
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix`.
    func answer(_ records: [ContentKeyID: ContentRecord], at time: Int64) throws(ProblemDocument) -> CPIXDocument {
        var answer = document
        answer.history = []
        for (index, key) in document.contentKeys.enumerated() {
            guard let record = records[key.keyID] else { continue }
            answer.contentKeys[index].value = .plain(record.contentKey)
            // Samples of cenc have vectors of their own.
            let hasIV = scheme == .cbcs || key.explicitIV != nil
            answer.contentKeys[index].explicitIV = hasIV ? record.iv : nil
        }
        do throws(SignalingError) {
            for (index, system) in document.systems.enumerated() {
                guard let record = records[system.keyID] else { continue }
                answer.systems[index] = try system.answered(scheme: scheme, keyURI: Self.keyURI(record.info))
            }
            if !answer.deliveryData.isEmpty { try answer.encryptKeys(at: time) }
        } catch {
            throw Self.refusal(error)
        }
        return answer
    }

    private static func refusal(_ error: SignalingError) -> ProblemDocument {
        ProblemDocument(.unacceptableCPIX, detail: "\(error).", reason: error.code.rawValue)
    }

    /// What FairPlay's playlists have: `skd://` and the asset ID, by which a license finds the key.
    private static func keyURI(_ info: ContentInfo) throws(SignalingError) -> String {
        guard let text = String(validating: info.assetID, as: UTF8.self) else {
            throw SignalingError(.invalidKeyURI, "FairPlay", "the key's asset ID is no text, which a URI could hold")
        }
        return "skd://" + text
    }
}
