import Foundation

/// A configuration that holds together, and how it came to be.
package struct LoadedConfiguration: Sendable, Equatable {
    /// The values.
    package let configuration: ServerConfiguration
    /// Every value with where it comes from, in the order of the documentation.
    package let settings: [SettingInForce]
    /// What is risky.
    package let warnings: [ConfigurationProblem]

    /// Puts a configuration together: the file, over it the environment, over that the command line.
    ///
    /// - Parameters:
    ///   - file: the YAML file's path; nil when there is none.
    ///   - environment: of which variables that begin with `KEYWAY_` are taken.
    ///   - options: settings by path, with the option that gave them.
    ///   - isDevelopment: without authorization, and on loopback addresses alone.
    /// - Throws: ``ConfigurationErrors`` with everything that is wrong.
    package static func load(
        file: String?,
        environment: [String: String],
        options: [(path: String, value: String, option: String)] = [],
        isDevelopment: Bool = false
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        guard let file else {
            return try load(text: nil, environment: environment, options: options, isDevelopment: isDevelopment)
        }
        let data = FileManager.default.contents(atPath: file)
        guard let data, data.count <= SettingInputs.maximumBytes, let text = String(validating: data, as: UTF8.self)
        else {
            let reason = data == nil ? "cannot be read" : "is no configuration: larger than 1 MiB, or not in UTF-8"
            throw ConfigurationErrors(problems: [.init(origin: .standard, path: file, reason: reason)])
        }
        return try load(
            text: text,
            name: file,
            environment: environment,
            options: options,
            isDevelopment: isDevelopment
        )
    }

    static func load(
        text: String?,
        name: String = "keyway.yaml",
        environment: [String: String] = [:],
        options: [(path: String, value: String, option: String)] = [],
        isDevelopment: Bool = false
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var inputs = SettingInputs()
        if let text { inputs.take(yaml: text, file: name) }
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
        reader.refuseUnknown()
        // What the file or a variable says counts in development too.
        if isDevelopment, !reader.has("licenses.otherClients") {
            configuration.licenses.otherClients = Set(OtherClientKind.allCases)
        }
        // A file that cannot be read has not said what it contradicts.
        if reader.problems.isEmpty { configuration.check(&reader, isDevelopment: isDevelopment) }
        guard reader.problems.isEmpty else {
            throw ConfigurationErrors(problems: reader.problems.sorted { $0.origin.line < $1.origin.line })
        }
        let strange = unknown.filter { $0 != configuration.kek.variable }.map {
            // An error would keep a server from starting because a newer one's variable is set.
            ConfigurationProblem(
                origin: .environment($0),
                path: "",
                reason: "there is no such setting; it does nothing"
            )
        }
        return LoadedConfiguration(
            configuration: configuration,
            settings: reader.inForce,
            warnings: reader.warnings + strange
        )
    }
}

extension ServerConfiguration {
    /// Every setting that there is, in the order of the documentation.
    package static let settings: [SettingDescription] = {
        var reader = SettingReader(SettingInputs())
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        return reader.settings
    }()

    /// The ends of the paths of settings that name files which have to be there.
    static let filePaths = [
        "kek.file", "passwordFile", "tls.certificate", "tls.key", "admin.clientCA", "secretFile", ".jwks",
    ]

    /// A file with every setting and what it does, to start from. A server does not start with it until `authorization`
    /// says who gets licenses: with any value there, an unchanged example would be a server that everyone gets keys from.
    package static var example: String {
        var text = """
            # The configuration of keyway-server. Every setting can stand here, in a variable of the environment, or, for
            # some, on the command line: the later one counts. A line that begins with # is a comment; those below show
            # defaults, or an example where there is none. `keyway-server config check FILE` says what is in force.

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
                // What is in a list, or is only one of several ways, stays a comment as a whole.
                if let words = Self.sectionWords[sections[...depth].joined(separator: ".")] {
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

    /// What the example says above a section.
    private static let sectionWords = [
        "authorization": [
            "Who gets licenses. Remove the # from exactly one of none, tokens (with all its lines) and webhook (likewise).",
            "There is no default: until one of them is set, the server does not start.",
        ]
    ]

    /// What is not a comment in the example: where data goes, and where to administer.
    private static func exampleValue(of setting: SettingDescription) -> String? {
        switch setting.path {
        case "data": setting.example
        case "admin.listen": setting.example
        default: nil
        }
    }
}
