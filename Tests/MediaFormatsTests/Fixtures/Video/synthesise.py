#!/usr/bin/env python3
"""Writes streams of parameter sets and slice headers that no common encoder makes: syntax by chance, slice data by chance.

Beside each it writes the lengths of the slice headers as it knows them itself, in the form of expected.py; expected.py then
overwrites them with what ffmpeg's trace_headers says, and the two must be equal (`git diff` shows nothing).
"""
import random

R = random.Random(20240607)


class Bits:
    def __init__(self):
        self.bits = []

    def u(self, n, v):
        assert 0 <= v < 1 << n or n == v == 0, (n, v)
        self.bits += [v >> i & 1 for i in reversed(range(n))]
        return v

    def flag(self, v=None, p=0.5):
        return self.u(1, int(R.random() < p if v is None else v))

    def ue(self, v):
        n = (v + 1).bit_length()
        self.u(2 * n - 1, v + 1)
        return v

    def se(self, v):
        self.ue(2 * v - 1 if v > 0 else -2 * v)
        return v

    def trail(self):
        self.u(1, 1)
        while len(self.bits) % 8:
            self.u(1, 0)

    def bytes(self):
        assert len(self.bits) % 8 == 0
        return bytes(int("".join(map(str, self.bits[i:i + 8])), 2) for i in range(0, len(self.bits), 8))


def escape(data):
    out, zeros = bytearray(), 0
    for b in data:
        if zeros == 2 and b <= 3:
            out.append(3)
            zeros = 0
        out.append(b)
        zeros = zeros + 1 if b == 0 else 0
    return bytes(out)


def log2ceil(n):
    return (n - 1).bit_length() if n > 1 else 0


class Stream:
    def __init__(self, name):
        self.name, self.data, self.lines = name, b"", []

    def unit(self, bits):
        bits.trail()
        self.data += b"\0\0\0\1" + escape(bits.bytes())

    def slice(self, bits, kind):
        n = len(bits.bits)
        while len(bits.bits) % 8:
            bits.u(1, 1)
        header = escape(bits.bytes()[:(n + 7) // 8])
        for _ in range(R.randrange(4, 20)):
            bits.u(8, R.choice([0, 0, 1, 3, R.randrange(256)]))
        self.unit(bits)
        self.lines.append(f"{kind} {n} {len(header)}")

    def write(self):
        open(self.name, "wb").write(self.data)
        open(self.name + ".txt", "w").write("".join(line + "\n" for line in self.lines))


# --- H.264

def h264_sps(s, i):
    b = Bits()
    o = {"id": i}
    profile = R.choice([66, 77, 88, 100, 244])
    b.u(8, 0x67); b.u(8, profile); b.u(8, 0); b.u(8, 51); b.ue(i)
    o["chroma"], o["planes"] = 1, 0
    if profile >= 100:
        o["chroma"] = b.ue(R.randrange(4) if profile == 244 else 1)
        if o["chroma"] == 3:
            o["planes"] = b.flag()
        b.ue(0); b.ue(0); b.flag(0)
        if b.flag():
            for k in range(12 if o["chroma"] == 3 else 8):
                if b.flag():
                    if R.random() < .3:
                        b.se(-8)
                    else:
                        for _ in range(16 if k < 6 else 64):
                            b.se(R.choice([0, 1]))
    o["frame"] = 4 + b.ue(R.randrange(13))
    o["poc"] = b.ue(R.randrange(3))
    if o["poc"] == 0:
        o["lsb"] = 4 + b.ue(R.randrange(13))
    elif o["poc"] == 1:
        o["zero"] = b.flag(); b.se(-3); b.se(70)
        for _ in range(b.ue(R.randrange(5))):
            b.se(R.randrange(-9, 9))
    b.ue(4); b.flag()
    w, h = R.randrange(2, 9), R.randrange(2, 9)
    b.ue(w - 1); b.ue(h - 1)
    o["size"] = w * h
    o["frames"] = b.flag()
    if not o["frames"]:
        b.flag()
    b.flag(1); b.flag(0); b.flag(0)
    s.unit(b)
    return o


def h264_pps(s, i, sps):
    b = Bits()
    o = {"id": i, "sps": sps}
    b.u(8, 0x68); b.ue(i); b.ue(sps["id"])
    o["cabac"], o["bottom"] = b.flag(), b.flag()
    groups = R.choice([0, 0, 1, 1, 2, 7])
    o["rate"] = 0
    b.ue(groups)
    if groups:
        kind = R.choice([0, 1, 2, 3, 4, 5, 6]) if groups == 1 else R.choice([0, 1, 2, 6])
        b.ue(kind)
        if kind == 0:
            for _ in range(groups + 1):
                b.ue(0)
        elif kind == 2:
            for _ in range(groups):
                b.ue(0); b.ue(1)
        elif kind in (3, 4, 5):
            b.flag()
            o["rate"] = 1 + b.ue(R.randrange(min(sps["size"], 7)))
        elif kind == 6:
            b.ue(sps["size"] - 1)
            for _ in range(sps["size"]):
                b.u(log2ceil(groups + 1), 0)
    o["l0"], o["l1"] = 1 + b.ue(R.randrange(4)), 1 + b.ue(R.randrange(4))
    o["wp"], o["wb"] = b.flag(), b.u(2, R.randrange(3))
    b.se(R.randrange(-9, 9)); b.se(0); b.se(R.randrange(-12, 13))
    o["deblock"] = b.flag(); b.flag(); o["redundant"] = b.flag()
    if R.random() < .5:
        t = b.flag()
        if b.flag():
            for _ in range(6 + t * (6 if sps["chroma"] == 3 else 2)):
                b.flag(0)
        b.se(3)
    s.unit(b)
    return o


def h264_slice(s, pps, idr):
    sps = pps["sps"]
    b = Bits()
    ref = R.randrange(1, 4) if idr else R.randrange(4)
    kind = 5 if idr else 1
    b.u(1, 0); b.u(2, ref); b.u(5, kind)
    b.ue(R.randrange(sps["size"]))
    t = b.ue(R.choice([2, 4, 7, 9]) if idr else R.randrange(10)) % 5
    b.ue(pps["id"])
    if sps["planes"]:
        b.u(2, R.randrange(3))
    b.u(sps["frame"], 0 if idr else R.choice([0, R.randrange(1 << sps["frame"])]))
    field = 0
    if not sps["frames"]:
        field = b.flag()
        if field:
            b.flag()
    if idr:
        b.ue(R.randrange(65536))
    if sps["poc"] == 0:
        b.u(sps["lsb"], R.choice([0, R.randrange(1 << sps["lsb"])]))
        if pps["bottom"] and not field:
            b.se(R.randrange(-300, 300))
    elif sps["poc"] == 1 and not sps["zero"]:
        b.se(R.randrange(-5000, 5000))
        if pps["bottom"] and not field:
            b.se(R.randrange(-5, 5))
    if pps["redundant"]:
        b.ue(R.choice([0, 0, 100]))
    P, B, I, SP, SI = range(5)
    if t == B:
        b.flag()
    if t in (P, SP, B):
        l0, l1 = pps["l0"], pps["l1"]
        if b.flag():
            l0 = 1 + b.ue(R.randrange(32 if field else 16))
            if t == B:
                l1 = 1 + b.ue(R.randrange(32 if field else 16))
        for _ in range(2 if t == B else 1):
            if b.flag():
                for _ in range(R.randrange(1, 4)):
                    op = b.ue(R.randrange(3)); b.ue(R.randrange(4 if op == 2 else 15))
                b.ue(3)
        if pps["wp"] if t != B else pps["wb"] == 1:
            chroma = sps["chroma"] and not sps["planes"]
            b.ue(R.randrange(8))
            if chroma:
                b.ue(R.randrange(8))
            for _ in range(l0 + (l1 if t == B else 0)):
                if b.flag(p=.3):
                    b.se(R.randrange(-128, 128)); b.se(R.randrange(-128, 128))
                if chroma and b.flag(p=.3):
                    for _ in range(4):
                        b.se(R.randrange(-128, 128))
    if ref:
        if idr:
            b.flag(); b.flag()
        elif b.flag():
            # Operation 5 is left out, and each of 4 and 6 comes once: ffmpeg holds more about them than their syntax.
            for op in R.sample([1, 1, 2, 3, 4, 6], R.randrange(1, 5)):
                b.ue(op)
                if op in (1, 3):
                    b.ue(R.randrange(8))
                if op == 2:
                    b.ue(R.randrange(3))
                if op in (3, 6, 4):
                    b.ue(R.randrange(3))
            b.ue(0)
    if pps["cabac"] and t in (P, B, SP):
        b.ue(R.randrange(3))
    b.se(R.randrange(-10, 11))
    if t in (SP, SI):
        if t == SP:
            b.flag()
        b.se(R.randrange(-9, 9))
    if pps["deblock"] and b.ue(R.randrange(3)) != 1:
        b.se(R.randrange(-6, 7)); b.se(R.randrange(-6, 7))
    if pps["rate"]:
        cycles = -(-sps["size"] // pps["rate"])
        b.u(log2ceil(cycles + 1), R.randrange(cycles + 1))
    s.slice(b, kind)


# --- HEVC

def hevc_header(b, kind):
    b.u(1, 0); b.u(6, kind); b.u(6, 0); b.u(3, 1)


def hevc_profile(b):
    b.u(8, 4); b.u(32, 0x08000000); b.u(16, 0x9000); b.u(32, 0); b.u(8, 120)


def rps(b, sets, in_slice):
    """Writes a set; returns it as a list of (delta, used), in the order of 7.4.8."""
    n = len(sets)
    if n and b.flag(p=.6):
        other = sets[n - 1 - (b.ue(R.randrange(n)) if in_slice else 0)]
        sign = b.flag()
        d = 1 + b.ue(R.randrange(4))
        d = -d if sign else d
        picked = []
        for delta in [x[0] for x in other] + [0]:
            used = b.flag()
            take = used or b.flag(p=.8)
            picked.append((delta + d, used, take))
        got = sorted({(x, u) for x, u, t in picked if t and x})
        return [x for x in reversed(got) if x[0] < 0] + [x for x in got if x[0] > 0]
    neg, pos = R.randrange(4), R.randrange(3)
    b.ue(neg); b.ue(pos)
    out = []
    for count, sign in ((neg, -1), (pos, 1)):
        delta = 0
        for _ in range(count):
            delta += sign * (1 + b.ue(R.choice([0, 0, 1, 3])))
            out.append((delta, b.flag()))
    return out


def hevc_sps(s, i):
    b = Bits()
    o = {"id": i}
    hevc_header(b, 33)
    b.u(4, 0); b.u(3, 0); b.u(1, 1)
    hevc_profile(b)
    b.ue(i)
    o["chroma"] = b.ue(R.choice([0, 1, 2, 3]))
    o["planes"] = b.flag() if o["chroma"] == 3 else 0
    w, h = 64 * R.randrange(2, 9), 64 * R.randrange(2, 9)
    b.ue(w); b.ue(h); b.flag(0); b.ue(0); b.ue(0)
    o["lsb"] = 4 + b.ue(R.randrange(13))
    b.flag(1); b.ue(15); b.ue(4); b.ue(0)
    ctb = R.choice([4, 5, 6])
    b.ue(0); b.ue(ctb - 3); b.ue(0); b.ue(2); b.ue(0); b.ue(0)
    o["w"], o["h"] = (w + (1 << ctb) - 1) >> ctb, (h + (1 << ctb) - 1) >> ctb
    if b.flag(p=.3):
        b.flag(0)
    b.flag(); o["sao"] = b.flag(); b.flag(0)
    o["sets"] = []
    for _ in range(b.ue(R.choice([0, 1, 2, 5, 20]))):
        o["sets"].append(rps(b, o["sets"], False))
    o["lt"], o["ltsps"] = b.flag(), []
    if o["lt"]:
        for _ in range(b.ue(R.choice([0, 1, 3]))):
            b.u(o["lsb"], R.randrange(1 << o["lsb"]))
            o["ltsps"].append(b.flag())
    o["mvp"] = b.flag(); b.flag(); b.flag(0)
    if b.flag():
        b.u(8, 0x80); b.u(9, R.randrange(512) & ~2)
    s.unit(b)
    return o


def hevc_pps(s, i, sps):
    b = Bits()
    o = {"id": i, "sps": sps}
    hevc_header(b, 34)
    b.ue(i); b.ue(sps["id"])
    o["dep"], o["out"], o["extra"] = b.flag(), b.flag(), b.u(3, R.choice([0, 0, 1, 2, 5]))
    b.flag(); o["cabac"] = b.flag()
    o["l0"], o["l1"] = 1 + b.ue(R.randrange(4)), 1 + b.ue(R.randrange(4))
    b.se(0); b.flag(); skip = b.flag()
    if b.flag():
        b.ue(1)
    b.se(R.randrange(-12, 13)); b.se(0)
    o["cqp"], o["wp"], o["wb"] = b.flag(), b.flag(), b.flag()
    b.flag()
    o["tiles"], o["wpp"] = b.flag(), b.flag()
    o["tw"], o["th"] = 1, 1
    if o["tiles"]:
        o["tw"], o["th"] = 2, R.choice([1, 2])
        b.ue(1); b.ue(o["th"] - 1)
        if not b.flag():
            b.ue(0)
            if o["th"] > 1:
                b.ue(0)
        b.flag()
    o["across"] = b.flag()
    o["over"] = o["nodb"] = 0
    if b.flag():
        o["over"], o["nodb"] = b.flag(), b.flag()
        if not o["nodb"]:
            b.se(3); b.se(-3)
    if b.flag(p=.3):
        for size in range(4):
            for m in range(0, 6, 3 if size == 3 else 1):
                if b.flag():
                    if size > 1:
                        b.se(0)
                    for _ in range(min(64, 1 << (4 + size * 2))):
                        b.se(R.choice([0, 1]))
                else:
                    b.ue(0)
    o["lists"] = b.flag(); b.ue(0); o["ext"] = b.flag()
    o["cuqp"] = 0
    if b.flag():
        b.u(8, 0x80)
        if skip:
            b.ue(1)
        b.flag(0 if sps["chroma"] != 3 else None)
        o["cuqp"] = b.flag(0 if not sps["chroma"] else None)
        if o["cuqp"]:
            b.ue(0); b.ue(1)
            for _ in range(4):
                b.se(2)
        b.ue(0); b.ue(0)
    s.unit(b)
    return o


def hevc_slice(s, pps, kind, first):
    sps = pps["sps"]
    b = Bits()
    hevc_header(b, kind)
    b.flag(first)
    if kind >= 16:
        b.flag()
    b.ue(pps["id"])
    dep = 0
    if not first:
        if pps["dep"]:
            dep = b.flag()
        b.u(log2ceil(sps["w"] * sps["h"]), R.randrange(1, sps["w"] * sps["h"]))
    if not dep:
        hevc_independent(b, pps, sps, kind)
    if pps["tiles"] or pps["wpp"]:
        limit = {(1, 1): pps["tw"] * sps["h"], (1, 0): pps["tw"] * pps["th"], (0, 1): sps["h"]}[pps["tiles"], pps["wpp"]]
        n = b.ue(R.randrange(limit))
        if n:
            bits = 1 + b.ue(R.choice([7, 15, 31]))
            for _ in range(n):
                b.u(bits, R.choice([0, 1, R.randrange(1 << bits)]))
    if pps["ext"]:
        for _ in range(b.ue(R.choice([0, 1, 5, 40]))):
            b.u(8, R.choice([0, 0, 1, 255]))
    b.trail()
    s.slice(b, kind)


def hevc_independent(b, pps, sps, kind):
    b.u(pps["extra"], R.randrange(1 << pps["extra"]))
    t = b.ue(2 if kind >= 16 else R.randrange(3))
    if pps["out"]:
        b.flag()
    if sps["planes"]:
        b.u(2, R.randrange(3))
    refs, mvp = 0, 0
    if kind not in (19, 20):
        b.u(sps["lsb"], R.choice([0, R.randrange(1 << sps["lsb"])]))
        sets = sps["sets"]
        if b.flag(None if sets else 0):
            index = R.randrange(len(sets))
            b.u(log2ceil(len(sets)), index)
            used = sets[index]
        else:
            used = rps(b, sets, True)
        refs = sum(u for _, u in used)
        if sps["lt"]:
            a = b.ue(R.randrange(len(sps["ltsps"]) + 1)) if sps["ltsps"] else 0
            n = b.ue(R.randrange(3))
            for k in range(a + n):
                if k < a:
                    index = R.randrange(len(sps["ltsps"]))
                    b.u(log2ceil(len(sps["ltsps"])), index)
                    refs += sps["ltsps"][index]
                else:
                    b.u(sps["lsb"], R.randrange(1 << sps["lsb"]))
                    refs += b.flag()
                if b.flag():
                    b.ue(R.randrange(9))
        if sps["mvp"]:
            mvp = b.flag()
    chroma = sps["chroma"] and not sps["planes"]
    sao = 0
    if sps["sao"]:
        sao = b.flag()
        if chroma:
            sao |= b.flag()
    B, P = 0, 1
    if t in (B, P):
        l0, l1 = pps["l0"], pps["l1"]
        if b.flag():
            l0 = 1 + b.ue(R.randrange(15))
            if t == B:
                l1 = 1 + b.ue(R.randrange(15))
        if pps["lists"] and refs > 1:
            for count in (l0, l1)[:2 if t == B else 1]:
                if b.flag():
                    for _ in range(count):
                        b.u(log2ceil(refs), R.randrange(refs))
        if t == B:
            b.flag()
        if pps["cabac"]:
            b.flag()
        if mvp:
            first = b.flag() if t == B else 1
            count = l0 if first else l1
            if count > 1:
                b.ue(R.randrange(count))
        if pps["wp"] if t == P else pps["wb"]:
            b.ue(R.randrange(8))
            if chroma:
                b.se(0)
            for count in (l0, l1)[:2 if t == B else 1]:
                luma = [b.flag(p=.4) for _ in range(count)]
                colour = [b.flag(p=.4) if chroma else 0 for _ in range(count)]
                for k in range(count):
                    if luma[k]:
                        b.se(R.randrange(-128, 128)); b.se(R.randrange(-128, 128))
                    if colour[k]:
                        for _ in range(2):
                            b.se(R.randrange(-128, 128)); b.se(R.randrange(-512, 512))
        b.ue(R.randrange(5))
    b.se(R.randrange(-9, 9))
    if pps["cqp"]:
        b.se(0); b.se(R.randrange(-12, 13))
    if pps["cuqp"]:
        b.flag()
    nodb = pps["nodb"]
    if pps["over"] and b.flag():
        nodb = b.flag()
        if not nodb:
            b.se(R.randrange(-6, 7)); b.se(6)
    if pps["across"] and (sao or not nodb):
        b.flag()


def hevc_vps(s):
    b = Bits()
    hevc_header(b, 32)
    b.u(4, 0); b.u(2, 3); b.u(6, 0); b.u(3, 0); b.u(1, 1); b.u(16, 65535)
    hevc_profile(b)
    b.flag(1); b.ue(15); b.ue(4); b.ue(0); b.u(6, 0); b.ue(0); b.flag(0); b.flag(0)
    s.unit(b)


def main():
    s = Stream("made.h264")
    for _ in range(30):
        pps = h264_pps(s, R.randrange(256), h264_sps(s, R.randrange(32)))
        h264_slice(s, pps, True)
        for _ in range(8):
            h264_slice(s, pps, False)
    s.write()
    s = Stream("made.hevc")
    hevc_vps(s)
    for _ in range(24):
        pps = hevc_pps(s, R.randrange(64), hevc_sps(s, R.randrange(16)))
        hevc_slice(s, pps, R.choice([19, 20, 21]), True)
        for _ in range(8):
            hevc_slice(s, pps, R.choice([0, 1, 1, 8, 9]), R.random() < .4)
    s.write()


main()
