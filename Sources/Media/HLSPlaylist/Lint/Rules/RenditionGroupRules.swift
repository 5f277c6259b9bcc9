extension LintRule {
    /// Groups of renditions: that they exist, and what holds among their members.
    static let renditionGroupRules: [LintRule] = [
        LintRule(
            "group-missing",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "the groups that variants name exist",
            .multivariant { subject, findings in
                let groups = Set(subject.renditions.map { RenditionGroup($0.tag) })
                func check(_ names: [(name: String, type: MediaTag.MediaType, id: String?)], _ line: PlaylistLine) {
                    let missing = names.filter { name in
                        name.id.map { !groups.contains(RenditionGroup(type: name.type, id: $0)) } ?? false
                    }
                    guard let first = missing.first else { return }
                    let listed = missing.map { "\($0.name)=\(ReadingContext.quoted($0.id ?? ""))" }
                    let types = missing.map { "TYPE=\($0.type)" }
                    findings.report(
                        line,
                        attribute: first.name,
                        "there is no EXT-X-MEDIA for \(listed.joined(separator: " and ")): add one with "
                            + "\(types.joined(separator: " and ")) and this GROUP-ID, or correct the name"
                    )
                }
                for (variant, line) in subject.variants {
                    var captions: String?
                    if case .group(let group)? = variant.closedCaptions { captions = group }
                    check(
                        [
                            ("AUDIO", .audio, variant.audio), ("VIDEO", .video, variant.video),
                            ("SUBTITLES", .subtitles, variant.subtitles),
                            ("CLOSED-CAPTIONS", .closedCaptions, captions),
                        ],
                        line
                    )
                }
                for (tag, line) in subject.iFrameVariants { check([("VIDEO", .video, tag.video)], line) }
            }
        ),
        LintRule(
            "group-name-repeats",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "the members of a group have different NAMEs",
            .multivariant { subject, findings in
                var seen: [GroupMember: Int] = [:]
                for (tag, line) in subject.renditions {
                    let member = GroupMember(group: RenditionGroup(tag), name: tag.name)
                    if let first = seen[member] {
                        findings.report(
                            line,
                            attribute: "NAME",
                            "\(member.group) has the NAME \(ReadingContext.quoted(tag.name)) in line \(first) already: "
                                + "give each member a name of its own"
                        )
                    } else {
                        seen[member] = line.number
                    }
                }
            }
        ),
        LintRule(
            "group-two-defaults",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "a group has one default",
            .multivariant { subject, findings in
                var seen: [RenditionGroup: Int] = [:]
                for (tag, line) in subject.renditions where tag.isDefault == true {
                    let group = RenditionGroup(tag)
                    if let first = seen[group] {
                        findings.report(
                            line,
                            attribute: "DEFAULT",
                            "\(group) has DEFAULT=YES in line \(first) already: keep one of the two"
                        )
                    } else {
                        seen[group] = line.number
                    }
                }
            }
        ),
        LintRule(
            "default-not-autoselect",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "AUTOSELECT of a default is YES, or absent",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.isDefault == true && tag.autoselects == false {
                    findings.report(
                        line,
                        attribute: "AUTOSELECT",
                        "AUTOSELECT=NO stands beside DEFAULT=YES: write AUTOSELECT=YES"
                    )
                }
            }
        ),
        LintRule(
            "autoselect-ambiguous",
            .warning,
            .multivariant,
            section: "4.4.6.1.1",
            "members that clients may choose by themselves differ in language, FORCED or characteristics",
            .multivariant { subject, findings in
                var seen: [Choice: Int] = [:]
                for (tag, line) in subject.renditions where tag.autoselects == true {
                    let choice = Choice(tag)
                    if let first = seen[choice] {
                        findings.report(
                            line,
                            "\(choice.group) has an AUTOSELECT=YES member with the same LANGUAGE, ASSOC-LANGUAGE, "
                                + "FORCED and CHARACTERISTICS in line \(first), so clients cannot choose between them: "
                                + "make one of these differ, or write AUTOSELECT=NO"
                        )
                    } else {
                        seen[choice] = line.number
                    }
                }
            }
        ),
        LintRule(
            "groups-differ",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "groups of one TYPE have the same members",
            .multivariant { subject, findings in
                var firsts: [MediaTag.MediaType: GroupMembers] = [:]
                for group in groups(subject) {
                    guard let first = firsts[group.id.type] else {
                        firsts[group.id.type] = group
                        continue
                    }
                    guard let difference = group.difference(from: first) else { continue }
                    findings.report(group.line, attribute: "GROUP-ID", difference)
                }
            }
        ),
        LintRule(
            "closed-captions-partly",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "every variant has CLOSED-CAPTIONS=NONE, or none has",
            .multivariant { subject, findings in
                func isNone(_ variant: Variant) -> Bool { variant.closedCaptions == .some(.none) }
                guard let with = subject.variants.first(where: { isNone($0.variant) }),
                    let without = subject.variants.first(where: { !isNone($0.variant) })
                else { return }
                findings.report(
                    without.line,
                    attribute: "CLOSED-CAPTIONS",
                    "this variant lacks CLOSED-CAPTIONS=NONE, which that of line \(with.line.number) has: write it in "
                        + "all variants or in none"
                )
            }
        ),
    ]

    /// The groups in the order of their first members.
    private static func groups(_ subject: MultivariantSubject) -> [GroupMembers] {
        var result: [GroupMembers] = []
        var index: [RenditionGroup: Int] = [:]
        for (tag, line) in subject.renditions {
            let id = RenditionGroup(tag)
            let position = index[id] ?? result.count
            if position == result.count {
                index[id] = position
                result.append(GroupMembers(id: id, line: line))
            }
            result[position].add(tag)
        }
        return result
    }
}

/// What a group is known by.
private struct RenditionGroup: Hashable, CustomStringConvertible {
    let type: MediaTag.MediaType
    let id: String

    init(type: MediaTag.MediaType, id: String) {
        self.type = type
        self.id = id
    }

    init(_ tag: MediaTag) { self.init(type: tag.type, id: tag.groupID) }

    /// For messages. Only the four TYPEs of the draft pass the reader.
    var description: String { "the \(type) group \(ReadingContext.quoted(id))" }
}

private struct GroupMember: Hashable {
    let group: RenditionGroup
    let name: String
}

/// By what clients choose among the members of a group.
private struct Choice: Hashable {
    let group: RenditionGroup
    let language: String?
    let associatedLanguage: String?
    let isForced: Bool
    let characteristics: Set<String>

    init(_ tag: MediaTag) {
        group = RenditionGroup(tag)
        language = tag.language?.lowercased()
        associatedLanguage = tag.associatedLanguage?.lowercased()
        isForced = tag.isForced ?? false
        characteristics = Set(tag.characteristics)
    }
}

/// The members of a group by their names.
private struct GroupMembers {
    let id: RenditionGroup
    /// Of the first member.
    let line: PlaylistLine
    private var names: [String] = []
    private var members: [String: MediaTag] = [:]

    init(id: RenditionGroup, line: PlaylistLine) {
        self.id = id
        self.line = line
    }

    mutating func add(_ tag: MediaTag) {
        guard members[tag.name] == nil else { return }
        names.append(tag.name)
        members[tag.name] = tag
    }

    /// What is not as in the first group, in words; nil when nothing is. It takes time in proportion to this group
    /// alone: the first one may be large, and have many small ones behind it.
    func difference(from first: GroupMembers) -> String? {
        let extra = names.filter { first.members[$0] == nil }
        let lacking = first.names.count - (names.count - extra.count)
        var parts: [String] = []
        if lacking > 0, let example = first.names.first(where: { members[$0] == nil }) {
            let others = lacking > 1 ? " and \(lacking - 1) more" : ""
            parts.append("lacks \(ReadingContext.quoted(example))\(others)")
        }
        if !extra.isEmpty { parts.append("has \(LintText.quoted(extra)) besides") }
        if parts.isEmpty {
            for name in names {
                guard let own = members[name], let other = first.members[name] else { continue }
                let attributes = Self.attributes(own, other)
                guard !attributes.isEmpty else { continue }
                parts.append(
                    "has another \(attributes.joined(separator: ", ")) for \(ReadingContext.quoted(name))"
                )
                break
            }
        }
        guard !parts.isEmpty else { return nil }
        return "\(id) differs from \(first.id), the first of its TYPE: it \(parts.joined(separator: " and ")); "
            + "give both the same members with the same attributes"
    }

    /// The names of the attributes in which two members differ.
    private static func attributes(_ left: MediaTag, _ right: MediaTag) -> [String] {
        var names: [String] = []
        if left.language != right.language { names.append("LANGUAGE") }
        if left.associatedLanguage != right.associatedLanguage { names.append("ASSOC-LANGUAGE") }
        if (left.isDefault ?? false) != (right.isDefault ?? false) { names.append("DEFAULT") }
        if (left.autoselects ?? false) != (right.autoselects ?? false) { names.append("AUTOSELECT") }
        if (left.isForced ?? false) != (right.isForced ?? false) { names.append("FORCED") }
        if Set(left.characteristics) != Set(right.characteristics) { names.append("CHARACTERISTICS") }
        return names
    }
}
