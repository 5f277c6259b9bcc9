import HTTPTypes

/// How clients send license requests: the names of fields, and the place of the token.
package struct LicenseRequestRules: Sendable, Equatable {
    /// A license server whose clients are understood without changes, apart from their URL. The facts are those of the
    /// vendors' public documentation.
    package enum Preset: String, Sendable, CaseIterable {
        /// The token in `X-AxDRM-Message`.
        case axinom
        /// The token in `x-dt-auth-token`; the operator's data in `x-dt-custom-data` or `dt-custom-data` is not used.
        case drmtoday
        /// The token in `pallycon-customdata-v2`.
        case pallycon
        /// The token in `customdata`.
        case buydrm

        /// The headers with the token.
        var tokenHeaders: [String] {
            switch self {
            case .axinom: ["x-axdrm-message"]
            case .drmtoday: ["x-dt-auth-token"]
            case .pallycon: ["pallycon-customdata-v2"]
            case .buydrm: ["customdata"]
            }
        }

        /// The names of the field with which clients request a persistent key.
        var persistNames: [String] { self == .drmtoday ? ["offline"] : [] }

        /// The headers that web pages send and no token is in.
        var otherHeaders: [String] { self == .drmtoday ? ["x-dt-custom-data", "dt-custom-data"] : [] }
    }

    /// The license servers whose clients are understood.
    package var presets: [Preset] = []
    /// The names of the fields, in addition to the default ones.
    package var names = LicenseFieldNames()
    /// Where a token may be, in addition to the presets' headers.
    package var tokens = TokenSources()

    /// Creates the default rules.
    package init() {}

    /// The names of the fields, with those of the presets.
    var allNames: LicenseFieldNames {
        var names = names
        for name in presets.flatMap(\.persistNames) where !names.persist.contains(name) { names.persist.append(name) }
        return names
    }

    /// Where a token may be.
    var allTokens: TokenSources {
        var tokens = tokens
        for header in presets.flatMap(\.tokenHeaders) where !tokens.headers.contains(header) {
            tokens.headers.append(header)
        }
        return tokens
    }

    /// The headers that web pages must be allowed to send, in lowercase.
    var pageHeaders: [String] { allTokens.headers.map { $0.lowercased() } + presets.flatMap(\.otherHeaders) }
}

extension LicenseRequestRules.Preset: SettingValue {
    static var expected: String { allCases.map(\.rawValue).joined(separator: ", ") }
    init?(setting: String) { self.init(rawValue: setting) }
    var setting: String { rawValue }
}

/// The name of a header field in the configuration.
struct HeaderName: SettingValue {
    static let expected = "names of header fields, such as X-Token"
    let setting: String

    init?(setting: String) {
        guard let name = HTTPField.Name(setting) else { return nil }
        self.setting = name.canonicalName
    }
}

/// The name of a field of a form, a query or a JSON object in the configuration.
struct FieldName: SettingValue {
    static let expected = "names of 1 to 64 letters, digits, and _ - ."
    let setting: String

    init?(setting: String) {
        guard (1...64).contains(setting.utf8.count),
            setting.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return nil }
        self.setting = setting
    }
}

extension LicenseRequestRules {
    /// Reads the section `licenses.requests` of the configuration.
    mutating func read(_ reader: inout SettingReader) {
        reader.read(
            list: &presets,
            "presets",
            example: ["axinom"],
            "License servers whose clients are understood without changes, apart from their URL."
        )
        var (spc, asset, token, forwarded): ([FieldName], [FieldName], [FieldName], [FieldName]) = ([], [], [], [])
        reader.read(list: &spc, "spc", example: ["player_payload"], "Further names of the field with the SPC.")
        reader.read(list: &asset, "asset", example: ["contentId"], "Further names of the field with the asset ID.")
        reader.read(
            list: &token,
            "token",
            example: ["access_token"],
            "Names of a field of the body or the query with the token. A proxy may log a query."
        )
        reader.read(
            list: &forwarded,
            "forward",
            example: ["userData"],
            "Names of further fields of the body, which the webhook gets."
        )
        names.spc += spc.map(\.setting)
        names.asset += asset.map(\.setting)
        (names.token, names.forwarded) = (token.map(\.setting), forwarded.map(\.setting))
        var (headers, schemes): ([HeaderName], [FieldName]) = ([], [])
        reader.read(list: &headers, "tokenHeaders", example: ["X-Token"], "Headers whose whole value is the token.")
        reader.read(
            list: &schemes,
            "tokenSchemes",
            example: ["Token"],
            "Further schemes of the header Authorization before the token."
        )
        tokens.headers = headers.map(\.setting)
        tokens.schemes += schemes.map { $0.setting.lowercased() }
    }
}
