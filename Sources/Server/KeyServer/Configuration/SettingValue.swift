import KeyServerModule
import Logging

/// A type that can be the value of a setting.
protocol SettingValue {
    /// The description of valid values, such as "true or false".
    static var expected: String { get }
    /// Parses a value; returns nil if the text is not valid.
    init?(setting: String)
    /// The value as written in the configuration.
    var setting: String { get }
}

extension String: SettingValue {
    static var expected: String { "text" }
    init?(setting: String) {
        guard !setting.isEmpty, setting.utf8.count <= 4_096,
            !setting.unicodeScalars.contains(where: { $0.value < 0x20 })
        else { return nil }
        self = setting
    }
    var setting: String { self }
}

extension Bool: SettingValue {
    static var expected: String { "true or false" }
    init?(setting: String) {
        guard let value = Bool(setting) else { return nil }
        self = value
    }
    var setting: String { description }
}

extension Seconds: SettingValue {
    static var expected: String { "a duration in ISO 8601, such as PT30S or PT6H" }
    init?(setting: String) { self.init(iso8601: setting) }
    var setting: String {
        if rawValue > 0, rawValue % 86_400 == 0 { return "P\(rawValue / 86_400)D" }
        if rawValue > 0, rawValue % 3_600 == 0 { return "PT\(rawValue / 3_600)H" }
        return rawValue > 0 && rawValue % 60 == 0 ? "PT\(rawValue / 60)M" : "PT\(rawValue)S"
    }
}

extension ListenAddress: SettingValue {
    static var expected: String { "host:port, such as 127.0.0.1:8080 or [::1]:8080" }
    init?(setting: String) { self.init(setting) }
    var setting: String { description }
}

extension IPNetwork: SettingValue {
    static var expected: String { "addresses or networks, such as 10.0.0.0/8" }
    init?(setting: String) { self.init(rawValue: setting) }
    var setting: String { rawValue }
}

extension Logger.Level: SettingValue {
    static var expected: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    init?(setting: String) { self.init(rawValue: setting) }
    var setting: String { rawValue }
}

extension LogFormat: SettingValue {
    static var expected: String { "one of json, text" }
    init?(setting: String) { self.init(rawValue: setting) }
    var setting: String { rawValue }
}

extension ServerConfiguration.MultiBuffer: SettingValue {
    static var expected: String { "auto, off, or the absolute path of the library" }
    init?(setting: String) {
        switch setting {
        case "auto": self = .auto
        case "off": self = .off
        default:
            // A name without a path is not accepted: `auto` already searches for the library by name.
            guard setting.hasPrefix("/"), let path = String(setting: setting) else { return nil }
            self = .library(path)
        }
    }
    var setting: String {
        switch self {
        case .auto: "auto"
        case .off: "off"
        case .library(let path): path
        }
    }
}

extension UInt32: SettingValue {
    static var expected: String { "numbers, such as 1" }
    init?(setting: String) { self.init(setting) }
    var setting: String { description }
}

extension ServerConfiguration.TokenIssuer.Algorithm: SettingValue {
    static var expected: String { "some of " + allCases.map(\.rawValue).joined(separator: ", ") }
    init?(setting: String) { self.init(rawValue: setting) }
    var setting: String { rawValue }
}

extension OtherClientKind: SettingValue {
    static var expected: String { "clearKey, aes128" }
    init?(setting: String) {
        switch setting {
        case "clearKey": self = .clearKey
        case "aes128": self = .aes128
        default: return nil
        }
    }
    var setting: String {
        switch self {
        case .clearKey: "clearKey"
        case .aes128: "aes128"
        }
    }
}

/// The origin of a web page as browsers send it, or `*` for all origins.
struct PageOrigin: SettingValue {
    static let expected = "origins, such as https://www.example.com"
    let setting: String

    init?(setting: String) {
        guard setting == "*" || WebOrigin(rawValue: setting) != nil else { return nil }
        self.setting = setting
    }
}
