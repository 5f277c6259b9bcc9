import TextCoding

extension PolicyForm<LicensePolicy.Persistence> {
    /// One of the forms of persistence: `{}`, a validity, or dual expiry with or without a fallback.
    static var persistence: Self {
        let duration = PolicyForm<Seconds>.duration
        var form = Self(
            values: "an object",
            schema: [
                "type": .string("object"), "additionalProperties": .bool(false),
                "examples": .array([
                    .object(["validity": .string("P7D")]),
                    .object(["storage": .string("P30D"), "playback": .string("P2D"), "fallback": .string("P2D")]),
                ]),
            ],
            parse: { json, place throws(PolicyError) in
                guard case .object(let members) = json else {
                    throw PolicyError(.invalidValue, field: place, reason: "expected an object: \(Self.forms)")
                }
                try members.requireNames(["validity", "storage", "playback", "fallback"], place)
                var durations: [String: Seconds] = [:]
                for member in members where member.value != .null {
                    durations[member.key] = try duration.parse(member.value, "\(place).\(member.key)")
                }
                let names = members.keys.sorted()
                switch (names, durations["validity"], durations["storage"], durations["playback"]) {
                case ([], _, _, _): return .unlimited
                case (["validity"], let validity?, _, _): return .limited(validity)
                case (["playback", "storage"], _, let storage?, let playback?),
                    (["fallback", "playback", "storage"], _, let storage?, let playback?):
                    return .dual(storage: storage, playback: playback, fallback: durations["fallback"])
                default:
                    throw PolicyError(
                        .invalidValue,
                        field: place,
                        reason: "expected \(Self.forms), found {\(names.joined(separator: ", "))}"
                    )
                }
            },
            print: { persistence in
                switch persistence {
                case .unlimited: .object([:])
                case .limited(let validity): .object(["validity": duration.print(validity)])
                case .dual(let storage, let playback, let fallback):
                    .object([
                        "storage": duration.print(storage), "playback": duration.print(playback),
                        "fallback": fallback.map(duration.print),
                    ])
                }
            }
        )
        form.members = [
            ("validity", "The time from the issue of the key after which playback cannot be started."),
            ("storage", "The time from the issue of the key until the first playback; zero means no limit."),
            ("playback", "The time from the first playback for which the key can be used; zero means no limit."),
            ("fallback", "The validity for a device that does not support `storage` and `playback`."),
        ].map { PolicyMember(name: $0, values: duration.values, summary: $1, schema: duration.schema) }
        return form
    }

    private static var forms: String {
        #"{}, {"validity"}, {"storage", "playback"} or {"storage", "playback", "fallback"}"#
    }
}
