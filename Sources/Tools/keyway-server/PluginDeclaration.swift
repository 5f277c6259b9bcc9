import KeyServer
import KeyServerModule
import KeyStore
import TextCoding

/// The declarations of a DASk plug-in, or the reason why it cannot be loaded, for the list of bundles.
struct PluginDeclaration {
    private let summary: Result<PluginSummary, BundleError>

    /// Loads the plug-in in a process of its own.
    init(_ plugin: CertificateBundleRecord.Plugin, bundle: String) {
        summary = Result { () throws(BundleError) in try PluginLoader().load(plugin, bundle: bundle).summary }
    }

    /// One line of text.
    var text: String {
        switch summary {
        case .success(let summary):
            let capabilities = summary.capabilities.map { $0.isKnown ? "\($0)" : "\($0) (unknown, ignored)" }
            return fields([
                "plug-in: " + summary.functions.map(\.rawValue).joined(separator: ", "),
                summary.isSerial ? "one call at a time" : nil,
                capabilities.isEmpty ? nil : "capabilities: " + capabilities.joined(separator: ", "),
            ])
        case .failure(let error): return "plug-in: cannot be loaded: \(error.reason)"
        }
    }

    /// The member `plugin` of a bundle, which the administration API does not have because it loads no plug-ins.
    var json: JSONValue {
        switch summary {
        case .success(let summary):
            .fields([
                ("functions", .array(summary.functions.map { .string($0.rawValue) })),
                ("threading", .string(summary.isSerial ? "serial" : "concurrent")),
                (
                    "capabilities",
                    .array(
                        summary.capabilities.map {
                            .fields([
                                ("name", .string($0.name)), ("version", .integer(Int($0.version))),
                                ("known", .bool($0.isKnown)),
                            ])
                        }
                    )
                ),
            ])
        case .failure(let error): .fields([("error", .string(error.reason))])
        }
    }
}
