import Foundation

/// A valid configuration with the origin of each value.
package struct LoadedConfiguration: Sendable, Equatable {
    /// The values of the settings.
    package let configuration: ServerConfiguration
    /// Every setting with its value and origin, in the order of the documentation.
    package let settings: [EffectiveSetting]
    /// Warnings about risky settings.
    package let warnings: [ConfigurationProblem]

    /// Loads a configuration from the file, the environment and the command line. Later sources override earlier ones.
    ///
    /// - Parameters:
    ///   - file: The path of the YAML file, if any.
    ///   - environment: The environment variables. Only those that start with `KEYWAY_` are read.
    ///   - options: Settings by path, with the command-line option that set each.
    ///   - isDevelopment: Whether the server runs with development certificates, on loopback addresses only.
    ///   - isForServing: Whether all settings are checked; otherwise those that locate the store are.
    /// - Throws: ``ConfigurationErrors`` with every problem.
    package static func load(
        file: String?,
        environment: [String: String],
        options: [(path: String, value: String, option: String)] = [],
        isDevelopment: Bool = false,
        isForServing: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        guard let file else {
            return try load(text: nil, environment: environment, options: options, isDevelopment: isDevelopment)
        }
        let data = FileManager.default.contents(atPath: file)
        guard let data, data.count <= SettingInputs.maximumBytes, let text = String(validating: data, as: UTF8.self)
        else {
            let reason = data == nil ? "cannot be read" : "must be at most 1 MiB of UTF-8"
            throw ConfigurationErrors(problems: [.init(origin: .standard, path: file, reason: reason)])
        }
        return try load(
            text: text,
            name: file,
            environment: environment,
            options: options,
            isDevelopment: isDevelopment,
            isForServing: isForServing
        )
    }

    static func load(
        text: String?,
        name: String = "keyway.yaml",
        environment: [String: String] = [:],
        options: [(path: String, value: String, option: String)] = [],
        isDevelopment: Bool = false,
        isForServing: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var inputs = SettingInputs()
        if let text { inputs.read(yaml: text, file: name) }
        var unknown: [String] = []
        let paths = Dictionary(
            ServerConfiguration.settings.compactMap { setting in setting.variable.map { ($0, setting.path) } },
            uniquingKeysWith: { first, _ in first }
        )
        for (variable, value) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("KEYWAY_") {
            if let path = paths[variable] {
                inputs.set(path, value, .environment(variable))
            } else {
                unknown.append(variable)
            }
        }
        for (path, value, option) in options { inputs.set(path, value, .option(option)) }
        var reader = SettingReader(inputs)
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        reader.reportUnknownSettings()
        // A value from the file or the environment overrides the development default.
        if isDevelopment, !reader.has("licenses.otherClients") {
            configuration.licenses.otherClients = Set(OtherClientKind.allCases)
        }
        // An unreadable file would cause misleading consistency errors.
        if reader.problems.isEmpty {
            if isForServing {
                configuration.check(&reader, isDevelopment: isDevelopment)
            } else {
                configuration.checkLocation(&reader, isDevelopment: isDevelopment)
            }
        }
        guard reader.problems.isEmpty else {
            throw ConfigurationErrors(problems: reader.problems.sorted { $0.origin.line < $1.origin.line })
        }
        let unknownVariables = unknown.filter { $0 != configuration.kek.variable }.map {
            // An error would prevent an older server from starting when a newer server's variable is set.
            ConfigurationProblem(
                origin: .environment($0),
                path: "",
                reason: "there is no setting for this variable; it has no effect"
            )
        }
        return LoadedConfiguration(
            configuration: configuration,
            settings: reader.effective,
            warnings: reader.warnings + unknownVariables
        )
    }
}

extension ServerConfiguration {
    /// Every setting, in the order of the documentation.
    package static let settings: [SettingDescription] = {
        var reader = SettingReader(SettingInputs())
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        return reader.settings
    }()

    /// The suffixes of the paths of settings that name required files.
    static let filePaths = [
        "kek.file", "passwordFile", "tls.certificate", "tls.key", "admin.clientCA", "secretFile", ".jwks",
        "playerLibrary",
    ]

    /// An example file with every setting and its description. A server does not start with it until `authorization` is
    /// set: with a default there, a server with the unchanged example would issue keys to everyone.
    package static var example: String {
        var text = """
            # The configuration of keyway-server. Every setting can be set in this file or by an environment variable, some
            # also on the command line; each of these overrides the one before. Lines that start with # are comments: they
            # show the default, or an example if there is none. `keyway-server config check FILE` prints the values in use.

            """
        var open: [String] = []
        for setting in settings {
            let names = setting.path.split(separator: ".")
            let parts = names.map { String($0.replacing("[]", with: "")) }
            let sections = Array(parts.dropLast())
            let isItem = setting.path.contains("[]")
            let isNewItem = isItem && sections != open
            if sections.isEmpty || sections.first != open.first { text += "\n" }
            for (depth, section) in sections.enumerated()
            where depth >= open.count || Array(open[...depth]) != Array(sections[...depth]) {
                // A section in a list, or one of several alternatives, is commented out as a whole.
                if let words = Self.sectionComments[sections[...depth].joined(separator: ".")] {
                    text += words.map { "# \($0)\n" }.joined()
                }
                let mark = names[depth].hasSuffix("[]") || section == "webhook" ? "#" : ""
                text += String(repeating: "  ", count: depth) + "\(mark)\(section):\n"
            }
            open = sections
            let indent = String(repeating: "  ", count: sections.count)
            let value = exampleValue(of: setting)
            let dash = isItem ? (isNewItem ? "- " : "  ") : ""
            text += "\(indent)# \(setting.help)\n"
            text += "\(indent)\(value == nil ? "#" : "")\(dash)\(parts.last ?? ""): \(value ?? setting.example)\n"
        }
        return text
    }

    /// The comments that the example contains above sections.
    private static let sectionComments = [
        "authorization": [
            "How license requests are authorized. Uncomment exactly one of none, tokens and webhook, with all its lines.",
            "There is no default: the server does not start until one of them is set.",
        ]
    ]

    /// The value of a setting that is not commented out in the example: the data folder and the administration address.
    private static func exampleValue(of setting: SettingDescription) -> String? {
        switch setting.path {
        case "data": setting.example
        case "admin.listen": setting.example
        default: nil
        }
    }
}
