import ArgumentParser
import DRMSignaling
import Packager
import ToolSupport

/// A setting with one value: its name, which is that of the option and of the field of a job file, and how the text of
/// the field is read. Both sources use the same parsers.
struct PackagingSetting: Sendable {
    /// The form of the field in a job file.
    enum Form: Sendable {
        /// A string or number.
        case value
        /// A list, or a string with commas.
        case list
        /// A path relative to the folder of the job file.
        case path
        /// A secret, or `@` and a path relative to the folder of the job file.
        case secret
    }

    /// The name.
    let name: String
    /// The form of the field in a job file.
    let form: Form
    /// Parses a text into the settings.
    let read: @Sendable (String, PackagingSettings.Location, inout PackagingSettings) throws(ValidationError) -> Void
    /// Replaces the value by that of other settings, if they have one.
    let override: @Sendable (inout PackagingSettings, PackagingSettings) -> Void
    /// Returns the location of the value; nil if there is none.
    let location: @Sendable (PackagingSettings) -> PackagingSettings.Location?

    private init<Value>(
        _ name: String,
        _ place: any WritableKeyPath<PackagingSettings, PackagingSettings.Setting<Value>?> & Sendable,
        _ form: Form = .value,
        parse: @escaping @Sendable (String) throws(ValidationError) -> Value
    ) {
        self.name = name
        self.form = form
        read = { text, location, settings throws(ValidationError) in
            settings[keyPath: place] = .init(value: try parse(text), location: location)
        }
        override = { settings, other in
            if let setting = other[keyPath: place] { settings[keyPath: place] = setting }
        }
        location = { $0[keyPath: place]?.location }
    }

    private init<Value: ExpressibleByArgument>(
        _ name: String,
        _ place: any WritableKeyPath<PackagingSettings, PackagingSettings.Setting<Value>?> & Sendable,
        _ form: Form = .value,
        valueName: String = "text"
    ) {
        self.init(name, place, form) { text throws(ValidationError) in
            try Value(parsing: text, valueName: valueName)
        }
    }

    /// The settings of presentations.
    static let presentation = [
        PackagingSetting("out", \.out, .path, parse: PackagingValue.output),
        PackagingSetting("scheme", \.scheme),
        PackagingSetting("container", \.container),
        PackagingSetting("segment-duration", \.segmentDuration, valueName: "duration"),
        PackagingSetting("key-uri", \.keyURI, parse: PackagingValue.keyURI),
        PackagingSetting("systems", \.systems, .list, parse: PackagingValue.systems),
        PackagingSetting("clear-lead", \.clearLead, valueName: "duration"),
        PackagingSetting("title", \.title),
        PackagingSetting("manifests", \.manifests, .list, parse: PackagingValue.manifests),
        PackagingSetting("iv-size", \.ivSize, valueName: "number"),
        PackagingSetting("keyformat-versions", \.keyFormatVersions, valueName: "1|1/2"),
        PackagingSetting("certificate-url", \.certificateURL, parse: LicenseURLArgument.url),
    ]

    /// The settings of live streams and key rotation.
    static let stream = [
        PackagingSetting("window", \.window, valueName: "length"),
        PackagingSetting("target-duration", \.targetDuration, valueName: "duration"),
        PackagingSetting("part-duration", \.partDuration, valueName: "duration"),
        PackagingSetting("utc-timing", \.utcTiming, parse: LicenseURLArgument.url),
        PackagingSetting("start-date", \.startDate, valueName: "time"),
        PackagingSetting("rotate-keys", \.rotation, valueName: "length"),
        PackagingSetting("period-keys", \.periodKeys, .path),
        PackagingSetting("derive-keys", \.derivedKeys, .secret),
        PackagingSetting("key-lead", \.keyLead, valueName: "duration"),
        PackagingSetting("key-timeout", \.keyTimeout, valueName: "duration"),
        PackagingSetting("work-folder", \.workFolder, .path, parse: PackagingValue.workFolder),
        PackagingSetting("upload-token", \.uploadToken, .secret),
        PackagingSetting("upload-timeout", \.uploadTimeout, valueName: "duration"),
    ]

    /// All settings.
    static let all = presentation + stream

    /// Returns the setting with a name.
    static func named(_ name: String) -> PackagingSetting? { all.first { $0.name == name } }
}
