extension MPDRule {
    /// The rules for manifests that list segments before they are complete.
    static let lowLatencyRules: [MPDRule] = [
        MPDRule(
            "latency-order",
            .error,
            section: "K",
            "the target of Latency must be from its min to its max"
        ) { manifest, findings in
            guard let latency = manifest.serviceDescription?.latency else { return }
            let values = [latency.minimum, latency.target, latency.maximum].compactMap { $0 }
            guard zip(values, values.dropFirst()).contains(where: { $0 > $1 }) else { return }
            findings.add(
                "MPD",
                "min, target and max of Latency are \(values.map(String.init).joined(separator: ", ")), which are not in order"
            )
        },
        MPDRule(
            "latency-reference",
            .warning,
            section: "K",
            "referenceId of Latency should be the id of a ProducerReferenceTime in every Period"
        ) { manifest, findings in
            guard let id = manifest.serviceDescription?.latency?.referenceID else { return }
            for (index, period) in manifest.periods.enumerated()
            where !period.adaptationSets.contains(where: { $0.producerReferenceTime?.id == id }) {
                findings.add(
                    manifest.location(ofPeriod: index),
                    "no AdaptationSet has a ProducerReferenceTime with the id \(id), from which Latency is measured: add it"
                )
            }
        },
        MPDRule(
            "incomplete-without-offset",
            .warning,
            section: "5.3.9.2.2",
            "a SegmentTemplate with availabilityTimeComplete=\"false\" should have a positive availabilityTimeOffset"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, template.availabilityTimeComplete == false,
                    template.availabilityTimeOffset ?? 0 <= 0
                else { continue }
                findings.add(
                    subject.location,
                    "segments are listed before they are complete, but without a positive availabilityTimeOffset players "
                        + "request them when they are complete: add it"
                )
            }
        },
    ]
}
