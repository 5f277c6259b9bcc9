"""policy/: what a key server decides for a valid SPC under a license policy (docs/policy.md, "What becomes of it").

The outcomes are declared here by hand, from the document; nothing computes them.
"""

import json
from collections.abc import Iterator

from .vectorfile import Facts, Vector

CREATED = 1767225600  # the creation date of every dated SPC
DAY = 86400
LEASE, RENTAL, BOTH = "1a4bde7e", "3dfe45a0", "27b59bde"
PERSIST, PERSIST_LIMITED = "3df2d9fb", "18f06048"
MAIN, BASELINE, AUDIO = "4e7fd92421d588b4", "32f0004966a5c4f8", "17d99d574eed567d"
NO_HDCP, TYPE_0, TYPE_1 = "ef72894ca7895b78", "40791ac78bd5c571", "285a0863bba8e1d3"
DUAL = {"storage": "P30D", "playback": "P2D"}


def vector(
    name: str,
    description: str,
    spc: str,
    policy: dict,
    asks: str = "online",
    later: int = 0,
    address: str | None = None,
    origin: str | None = None,
    **outcome: str | int,
) -> Vector:
    """A case. `outcome` is `error`, or facts with underscores for hyphens; `persistable` is "no" unless given."""
    inputs = {"spc-file": f"../spc/{spc}.txt", "asks-for": asks, "now": str(CREATED + later)}
    if address is not None:
        inputs["remote-address"] = address
    if origin is not None:
        inputs["origin"] = origin
    body = json.dumps(policy, sort_keys=True).encode()
    if "error" in outcome:
        return Vector(
            "policy", name, description, body, inputs=inputs, stage="policy", error=str(outcome["error"])
        )
    facts: Facts = {"persistable": "no"} | {key.replace("_", "-"): str(value) for key, value in outcome.items()}
    return Vector("policy", name, description, body, inputs=inputs, facts=facts)


def duration(kind: str, lease: int = 0, rental: int = 0) -> dict[str, str | int]:
    return {"duration_key_type": kind, "duration_lease": lease, "duration_rental": rental}


def offline(version: int, storage: int, playback: int) -> dict[str, str | int]:
    return {
        "persistable": "yes",
        "offline_key_version": version,
        "offline_key_storage_duration": storage,
        "offline_key_playback_duration": playback,
    }


def vectors() -> Iterator[Vector]:
    phone, tv = "v2-iphone", "v2-partner-tv"
    yield from terms(phone)
    yield from persistence(phone)
    yield from rules(phone, tv)
    yield from states()
    yield from whereabouts(phone)
    yield from memory(phone)


def terms(phone: str) -> Iterator[Vector]:
    yield vector("empty", "A policy without fields limits nothing.", phone, {})
    yield vector("lease", "A lease.", phone, {"lease": "PT10M"}, **duration(LEASE, lease=600))
    yield vector("rental", "A rental.", phone, {"rental": "P2D"}, **duration(RENTAL, rental=2 * DAY))
    both = {"lease": "PT10M", "rental": "P2D"}
    yield vector("lease-and-rental", "Both.", phone, both, **duration(BOTH, lease=600, rental=2 * DAY))
    yield vector("hdcp-none", "No HDCP, said outright.", phone, {"hdcp": "none"}, hdcp=NO_HDCP)
    yield vector("hdcp-type0", "HDCP Type 0, said outright.", phone, {"hdcp": "type0"}, hdcp=TYPE_0)
    yield vector("hdcp-type1", "HDCP Type 1, which the device can enforce.", phone, {"hdcp": "type1"}, hdcp=TYPE_1)
    for name, level in (("main", MAIN), ("baseline", BASELINE), ("audio", AUDIO)):
        yield vector(f"level-{name}", f"The level {name}.", phone, {"securityLevel": name}, security_level=level)


def persistence(phone: str) -> Iterator[Vector]:
    keep = "persistable"
    yield vector("persist-not-allowed", "Asked for, not allowed: an online key.", phone, {"lease": "PT10M"}, keep,
                 **duration(LEASE, lease=600))  # fmt: skip
    yield vector("persist-unlimited", "Kept for ever.", phone, {"persist": {}}, keep,
                 persistable="yes", **duration(PERSIST))  # fmt: skip
    week = {"persist": {"validity": "P7D"}}
    yield vector("persist-limited", "Kept for a week.", phone, week, keep,
                 persistable="yes", **duration(PERSIST_LIMITED, rental=7 * DAY))  # fmt: skip
    yield vector("persist-limited-online", "An online key under the same policy.", phone, week,
                 **duration(RENTAL, rental=7 * DAY))  # fmt: skip
    yield vector("persist-limited-lease-online", "A lease binds the online key.", phone, week | {"lease": "PT10M"},
                 **duration(LEASE, lease=600))  # fmt: skip
    dual = {"persist": DUAL}
    yield vector("dual", "Dual expiry, capability bits 1 and 3.", phone, dual, keep, **offline(2, 30 * DAY, 2 * DAY))
    yield vector("dual-version-1", "Dual expiry, capability bit 1 alone.", "v2-iphone-without-offline-key-v2", dual,
                 keep, **offline(1, 30 * DAY, 2 * DAY))  # fmt: skip
    yield vector("dual-endless", "Zero is no limit.", phone, {"persist": {"storage": "PT0S", "playback": "PT0S"}}, keep,
                 **offline(2, 0, 0))  # fmt: skip
    yield vector("dual-online", "An online key under dual expiry.", phone, dual, **duration(RENTAL, rental=2 * DAY))
    tv_by_adapter = ("v2-apple-tv-airplay", "v2-digital-av-adapter")
    for spc in tv_by_adapter:
        yield vector(f"dual-{spc[3:]}", "No key to keep on this route: an online key.", spc, dual, keep,
                     **duration(RENTAL, rental=2 * DAY))  # fmt: skip
    no_state = {"undatedSPC": "allow"}
    for name, policy in (("lease", {"lease": "PT10M"}), ("rental", {"rental": "P2D"}), ("persist", {"persist": {}})):
        yield vector(f"no-state-{name}", "Without a playback state nothing that limits time is given.", "v2-minimal",
                     policy | no_state, error="playback-state-missing")  # fmt: skip
    yield vector("no-state-allowed", "An undated SPC where the policy allows it.", "v2-minimal", no_state)
    yield vector("no-state-denied", "An undated SPC where it says nothing.", "v2-minimal", {},
                 error="playback-state-missing")  # fmt: skip


def rules(phone: str, tv: str) -> Iterator[Vector]:
    yield vector("vm-denied", "A virtual machine; saying nothing denies.", "v2-virtual-machine", {},
                 error="virtual-machine")  # fmt: skip
    yield vector("vm-allowed", "A virtual machine, allowed.", "v2-virtual-machine", {"virtualMachines": "allow"})
    yield vector("vm-version-0", "VM information of version 0 is no virtual machine.", "v2-vm-info-version-0", {})
    yield vector("airplay-denied", "AirPlay, denied.", "v2-apple-tv-airplay", {"airplay": "deny"},
                 error="airplay-denied")  # fmt: skip
    yield vector("adapter-denied", "The adapter, denied.", "v2-digital-av-adapter", {"adapter": "deny"},
                 error="adapter-denied")  # fmt: skip
    yield vector("routes-denied-local", "Neither route is this device's.", phone, {"adapter": "deny", "airplay": "deny"})
    main = {"securityLevel": "main"}
    yield vector("main-of-baseline", "Main of a device that reports Baseline.", tv, main,
                 error="security-level-too-low")  # fmt: skip
    for spc, error in (("v2-mac-kdl-30", True), ("v2-mac-kdl-conflict", True), ("v2-mac-kdl-31", False)):
        outcome = {"error": "security-level-too-low"} if error else {"security_level": MAIN}
        yield vector(f"main-{spc[3:]}", "Main of a Mac, by its Kext Deny List.", spc, main, **outcome)
    yield vector("main-mac-kdl-30-allowed", "The policy's own minimum.", "v2-mac-kdl-30", main | {"minimumKDL": 30},
                 security_level=MAIN)  # fmt: skip
    yield vector("os-too-old", "An older system than the policy wants.", phone, {"osVersions": {"appleMobile": "26.2"}},
                 error="os-version-too-old")  # fmt: skip
    yield vector("os-new-enough", "Just the system it wants.", phone, {"osVersions": {"appleMobile": "26.1.0"}})
    yield vector("os-of-watch", "A Watch is told by its Device Info.", "v1-apple-watch",
                 {"osVersions": {"appleWatch": "12"}}, error="os-version-too-old")  # fmt: skip
    yield vector("os-of-another-class", "A minimum for another class.", phone, {"osVersions": {"appleDesktop": "99"}})
    yield vector("type1-not-enforceable", "HDCP Type 1 without capability bit 0.", "v1-apple-watch", {"hdcp": "type1"},
                 error="hdcp-not-enforceable")  # fmt: skip


def states() -> Iterator[Vector]:
    yield vector("halted", "Playback has halted.", "v1-playback-halted", {}, error="playback-halted")
    yield vector("playing", "State 2 always gets a duration.", "v1-playback-playing", {}, **duration(RENTAL))
    yield vector("dual-playing", "State 2 under dual expiry gets a duration.", "v2-iphone-playing", {"persist": DUAL},
                 "persistable", **duration(RENTAL, rental=2 * DAY))  # fmt: skip
    phone = "v2-iphone"
    yield vector("six-hours-old", "As old as it may be.", phone, {}, later=6 * 3600)
    yield vector("older-than-six-hours", "A second older.", phone, {}, later=6 * 3600 + 1, error="spc-too-old")
    yield vector("ten-minutes-ahead", "As far ahead as it may be.", phone, {}, later=-600)
    yield vector("more-than-ten-minutes-ahead", "A second further.", phone, {}, later=-601, error="spc-date-in-future")
    strict = {"maximumSPCAge": "PT1M"}
    yield vector("age-of-policy", "The policy's own window.", phone, strict, later=61, error="spc-too-old")


def whereabouts(phone: str) -> Iterator[Vector]:
    """Networks and origins. Only the address that connects and the Origin of the request count."""
    networks = {"networks": ["192.0.2.0/24", "198.51.100.7", "2001:db8:8000::/33"]}
    inside = {
        "first": "192.0.2.0",
        "last": "192.0.2.255",
        "single": "198.51.100.7",
        "ipv6": "2001:db8:8000::1",
        "ipv6-last": "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "mapped": "::ffff:192.0.2.9",
    }
    outside = {
        "before": "192.0.1.255",
        "after": "192.0.3.0",
        "neighbour": "198.51.100.6",
        "ipv6": "2001:db8:7fff:ffff::1",
        "mapped": "::ffff:192.0.3.9",
        "not-an-address": "192.0.2",
    }
    for name, address in inside.items():
        yield vector(f"network-{name}", "An address in one of the networks.", phone, networks, address=address)
    for name, address in outside.items():
        yield vector(f"network-outside-{name}", "An address in none of the networks.", phone, networks, address=address,
                     error="network-denied")  # fmt: skip
    yield vector("network-unknown", "An address that is not known is in no network.", phone, networks,
                 error="network-denied")  # fmt: skip
    yield vector("network-any", "An empty list is any network.", phone, {"networks": []}, address="192.0.3.0")
    all_ipv4 = {"networks": ["0.0.0.0/0"]}
    yield vector("network-all-ipv4", "Every IPv4 address.", phone, all_ipv4, address="203.0.113.5")
    yield vector("network-all-ipv4-of-ipv6", "All of IPv4 is none of IPv6.", phone, all_ipv4, address="2001:db8::1",
                 error="network-denied")  # fmt: skip
    origins = {"origins": ["https://play.example.com", "http://localhost:8080", "http://[::1]:8080"]}
    for name, origin in zip(("https", "port", "ipv6"), origins["origins"], strict=True):
        yield vector(f"origin-{name}", "One of the origins.", phone, origins, origin=origin)
    for name, origin in (
        ("subdomain", "https://a.play.example.com"),
        ("scheme", "http://play.example.com"),
        ("port", "https://play.example.com:8443"),
        ("suffix", "https://play.example.com.example.net"),
        ("null", "null"),
    ):
        yield vector(f"origin-other-{name}", "None of the origins.", phone, origins, origin=origin,
                     error="origin-denied")  # fmt: skip
    yield vector("origin-missing", "An app says no origin.", phone, origins, error="origin-denied")
    yield vector("origin-any", "An empty list is any origin, or none.", phone, {"origins": []})


def memory(phone: str) -> Iterator[Vector]:
    """Fields that a store's memory enforces leave no trace in the CKC."""
    limits = {"lease": "PT10M", "streams": 2, "devices": 5}
    yield vector("streams-and-devices", "Counted by the server.", phone, limits, **duration(LEASE, lease=600))
    rental = {"rental": "P2D", "rentalStart": "token", "bindRentalToDevice": True, "renewAfterExpiry": False}
    yield vector("rental-from-token", "Remembered by the server.", phone, rental, **duration(RENTAL, rental=2 * DAY))
    yield vector("other-clients-deny", "About other clients alone.", phone, {"otherClients": "deny"})
