extension LintRule {
    /// The rules for rendition groups and their members.
    static let renditionGroupRules: [LintRule] = [
        LintRule(
            "group-missing",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "the rendition groups to which variants refer must exist",
            .multivariant { subject, findings in
                let groups = Set(subject.renditions.map { RenditionGroup($0.tag) } + subject.refusedGroups)
                let incomplete = subject.incompleteGroups
                func check(_ names: [(name: String, type: MediaTag.MediaType, id: String?)], _ line: PlaylistLine) {
                    let missing = names.filter { name in
                        name.id.map { id in
                            !groups.contains(RenditionGroup(type: name.type, id: id))
                                && !incomplete.contains { ($0.type ?? name.type, $0.id ?? id) == (name.type, id) }
                        } ?? false
                    }
                    guard let first = missing.first else { return }
                    let listed = missing.map { "\($0.name)=\(ReadingContext.quoted($0.id ?? ""))" }
                    let types = missing.map { "TYPE=\($0.type)" }
                    findings.report(
                        line,
                        attribute: first.name,
                        "the playlist has no EXT-X-MEDIA for \(listed.joined(separator: " and ")): add one with "
                            + "\(types.joined(separator: " and ")) and this GROUP-ID, or correct the attribute"
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
            "group-unused",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a variant should refer to each rendition group",
            .multivariant { subject, findings in
                // Without variants, the rule `no-variants` applies.
                guard !subject.variants.isEmpty else { return }
                let used = subject.usedGroups
                for group in groups(subject) where !used.contains(group.id) {
                    findings.report(
                        group.line,
                        attribute: "GROUP-ID",
                        "no variant refers to \(group.id), so its renditions cannot be selected: write "
                            + "\(group.id.type)=\(ReadingContext.quoted(group.id.id)) in EXT-X-STREAM-INF, or remove the "
                            + "group"
                    )
                }
            }
        ),
        LintRule(
            "duplicate-group-name",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "the members of a group must have different NAMEs",
            .multivariant { subject, findings in
                var seen: [GroupMember: Int] = [:]
                for (tag, line) in subject.renditions {
                    let member = GroupMember(group: RenditionGroup(tag), name: tag.name)
                    if let first = seen[member] {
                        findings.report(
                            line,
                            attribute: "NAME",
                            "\(member.group) already has the NAME \(ReadingContext.quoted(tag.name)) on line \(first): "
                                + "give each member a different NAME"
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
            "a group must have at most one default",
            .multivariant { subject, findings in
                var seen: [RenditionGroup: Int] = [:]
                for (tag, line) in subject.renditions where tag.isDefault == true {
                    let group = RenditionGroup(tag)
                    if let first = seen[group] {
                        findings.report(
                            line,
                            attribute: "DEFAULT",
                            "\(group) already has DEFAULT=YES on line \(first): keep only one of the two"
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
            "AUTOSELECT of a default rendition must be YES or absent",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.isDefault == true && tag.autoselects == false {
                    findings.report(
                        line,
                        attribute: "AUTOSELECT",
                        "the tag has AUTOSELECT=NO and DEFAULT=YES: write AUTOSELECT=YES"
                    )
                }
            }
        ),
        LintRule(
            "autoselect-ambiguous",
            .warning,
            .multivariant,
            section: "4.4.6.1.1",
            "members with AUTOSELECT=YES should differ in language, FORCED or characteristics",
            .multivariant { subject, findings in
                var seen: [SelectionKey: Int] = [:]
                for (tag, line) in subject.renditions where tag.autoselects == true {
                    let key = SelectionKey(tag)
                    if let first = seen[key] {
                        findings.report(
                            line,
                            "\(key.group) has another member with AUTOSELECT=YES and the same LANGUAGE, "
                                + "ASSOC-LANGUAGE, "
                                + "FORCED and CHARACTERISTICS on line \(first), so clients cannot choose between them: "
                                + "change one of these attributes, or write AUTOSELECT=NO"
                        )
                    } else {
                        seen[key] = line.number
                    }
                }
            }
        ),
        LintRule(
            "groups-differ",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "groups of one TYPE must have the same members",
            .multivariant { subject, findings in
                let incomplete = Set(subject.refusedGroups)
                let pathways = subject.pathways
                let groups = groups(subject)
                // The positions of the first groups. A client stays in a pathway, so groups of different pathways may
                // differ.
                var firsts: [MediaTag.MediaType: [String: Int]] = [:]
                for (index, group) in groups.enumerated() where !incomplete.contains(group.id) {
                    var compared: Set<Int> = []
                    for pathway in pathways[group.id] ?? ["."] {
                        guard let first = firsts[group.id.type]?[pathway] else {
                            firsts[group.id.type, default: [:]][pathway] = index
                            continue
                        }
                        guard compared.insert(first).inserted,
                            let difference = group.difference(from: groups[first], pathway: pathway)
                        else { continue }
                        findings.report(group.line, attribute: "GROUP-ID", difference)
                        break
                    }
                }
            }
        ),
        LintRule(
            "closed-captions-inconsistent",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "either all or none of the variants must have CLOSED-CAPTIONS=NONE",
            .multivariant { subject, findings in
                func isNone(_ variant: Variant) -> Bool { variant.closedCaptions == .some(.none) }
                guard let with = subject.variants.first(where: { isNone($0.variant) }),
                    let without = subject.variants.first(where: { !isNone($0.variant) })
                else { return }
                findings.report(
                    without.line,
                    attribute: "CLOSED-CAPTIONS",
                    "this variant does not have CLOSED-CAPTIONS=NONE, but the variant on line \(with.line.number) "
                        + "does: write it for all variants or for none"
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

extension MultivariantSubject {
    /// The pathways of the variants that refer to each group, in their order.
    fileprivate var pathways: [RenditionGroup: [String]] {
        var pathways: [RenditionGroup: [String]] = [:]
        var known: Set<GroupPathway> = []
        for (variant, _) in variants {
            var captions: String?
            if case .group(let group)? = variant.closedCaptions { captions = group }
            let ids: [(MediaTag.MediaType, String?)] = [
                (.audio, variant.audio), (.video, variant.video), (.subtitles, variant.subtitles),
                (.closedCaptions, captions),
            ]
            let pathway = variant.pathwayID ?? "."
            for case (let type, let id?) in ids {
                let group = RenditionGroup(type: type, id: id)
                guard known.insert(GroupPathway(group: group, pathway: pathway)).inserted else { continue }
                pathways[group, default: []].append(pathway)
            }
        }
        return pathways
    }

    /// The groups of EXT-X-MEDIA tags that the reader rejected, as far as their TYPE and GROUP-ID can be read.
    fileprivate var refusedGroups: [RenditionGroup] {
        lines.compactMap { line in
            guard case .refused(.media) = line.content, let type = line.unquotedAttribute("TYPE"),
                let id = line.unquotedAttribute("GROUP-ID")
            else { return nil }
            return RenditionGroup(type: MediaTag.MediaType(rawValue: type), id: file.withVariables(id))
        }
    }

    /// The TYPE and GROUP-ID of EXT-X-MEDIA tags that the reader rejected, where only one of them or none can be read.
    fileprivate var incompleteGroups: [(type: MediaTag.MediaType?, id: String?)] {
        lines.compactMap { line in
            guard case .refused(.media) = line.content else { return nil }
            let (type, id) = (line.unquotedAttribute("TYPE"), line.unquotedAttribute("GROUP-ID"))
            guard type == nil || id == nil else { return nil }
            return (type.map(MediaTag.MediaType.init(rawValue:)), id.map(file.withVariables))
        }
    }

    /// The groups to which a variant or I-frame variant refers, even if the reader rejected its tag.
    fileprivate var usedGroups: Set<RenditionGroup> {
        var groups: Set<RenditionGroup> = []
        for line in lines {
            switch line.content {
            case .tag(.streamInf), .tag(.iFrameStreamInf), .refused(.streamInf), .refused(.iFrameStreamInf): break
            default: continue
            }
            for type in MediaTag.MediaType.defined {
                guard let id = line.unquotedAttribute(type.rawValue) else { continue }
                groups.insert(RenditionGroup(type: type, id: file.withVariables(id)))
            }
        }
        return groups
    }
}

extension PlaylistLine {
    /// The value of an attribute as the file contains it, without quotation marks; nil when the line has no such
    /// attribute.
    func unquotedAttribute(_ name: String) -> String? {
        guard let raw = rawAttribute(name)?.trimmingSpaces else { return nil }
        return raw.hasPrefix("\"") && raw.hasSuffix("\"") && raw.utf8.count > 1
            ? String(raw.dropFirst().dropLast()) : raw
    }
}

extension String {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmingSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = first, let last = last, isSpace(first) || isSpace(last) else { return self }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// The identity of a group: its TYPE and GROUP-ID.
private struct RenditionGroup: Hashable, CustomStringConvertible {
    let type: MediaTag.MediaType
    let id: String

    init(type: MediaTag.MediaType, id: String) {
        self.type = type
        self.id = id
    }

    init(_ tag: MediaTag) { self.init(type: tag.type, id: tag.groupID) }

    /// The group as messages show it. The type is one of the four TYPEs of the draft, because the reader rejects
    /// others.
    var description: String { "the \(type) group \(ReadingContext.quoted(id))" }
}

private struct GroupPathway: Hashable {
    let group: RenditionGroup
    let pathway: String
}

private struct GroupMember: Hashable {
    let group: RenditionGroup
    let name: String
}

/// The attributes by which clients select a member of a group.
private struct SelectionKey: Hashable {
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

/// The members of a group by NAME.
private struct GroupMembers {
    let id: RenditionGroup
    /// The line of the first member.
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

    /// Returns a description of the differences from the first group of a pathway; nil when there are none. The time is proportional
    /// to the size of this group only, because many small groups may follow a large first group.
    func difference(from first: GroupMembers, pathway: String) -> String? {
        let extra = names.filter { first.members[$0] == nil }
        let lacking = first.names.count - (names.count - extra.count)
        var parts: [String] = []
        if lacking > 0, let example = first.names.first(where: { members[$0] == nil }) {
            let others = lacking > 1 ? " and \(lacking - 1) more" : ""
            parts.append("lacks \(ReadingContext.quoted(example))\(others)")
        }
        if !extra.isEmpty { parts.append("also has \(LintText.quoted(extra))") }
        if parts.isEmpty {
            for name in names {
                guard let own = members[name], let other = first.members[name] else { continue }
                let attributes = Self.attributes(own, other)
                guard !attributes.isEmpty else { continue }
                parts.append(
                    "has a different \(attributes.joined(separator: ", ")) for \(ReadingContext.quoted(name))"
                )
                break
            }
        }
        guard !parts.isEmpty else { return nil }
        let place = pathway == "." ? "" : " in the pathway \(ReadingContext.quoted(pathway))"
        return "\(id) differs from \(first.id), the first of its TYPE\(place): it \(parts.joined(separator: " and ")); "
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
