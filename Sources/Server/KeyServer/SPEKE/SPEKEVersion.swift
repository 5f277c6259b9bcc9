import DRMSignaling

/// The versions of SPEKE, which `X-Speke-Version` specifies.
enum SPEKEVersion: String, CaseIterable {
    /// SPEKE v2.0 with CPIX 2.3.
    case v2_0 = "2.0"
    /// SPEKE v2.1 with CPIX 2.4.
    case v2_1 = "2.1"

    /// The version of documents.
    var document: CPIXDocument.Version {
        switch self {
        case .v2_0: .v2_3
        case .v2_1: .v2_4
        }
    }
}
