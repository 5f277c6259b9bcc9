# Functions for the tests of keyway validate; to be sourced. Includes packaging.sh.
# shellcheck shell=bash
# shellcheck source=packaging.sh
. "$(dirname "${BASH_SOURCE[0]}")/packaging.sh"

ff() { ffmpeg -nostdin -loglevel error -y "$@" || fail "ffmpeg $*"; }
# shellcheck disable=SC2034 # used by the scripts that source this file
avc=(-c:v libx264 -pix_fmt yuv420p -preset veryfast -profile:v high -sc_threshold 0)
# shellcheck disable=SC2034
gop=(-g 48 -keyint_min 48)
cases=0 turn=0

# selected: succeeds for every third presentation, or with FULL for all.
selected() {
    turn=$((turn + 1))
    [ -n "${FULL:-}" ] || [ $((turn % 3)) = 1 ]
}

# findings PLAYLIST: prints the rules that are violated, without those about the text of playlists, one per line: LEVEL RULE.
findings() {
    local code=0
    keyway validate "$@" --json >report.json 2>report.log || code=$?
    [ "$code" -le 1 ] || fail "keyway validate $*: exit code $code: $(cat report.log)"
    "$python" - <<'PYTHON'
import json
seen = set()
for finding in json.load(open("report.json"))["findings"]:
    # The rules of `playlist check`, which have no advice apart from their message, have tests of their own.
    # So have requirements of single targets, except those of AirPlay 2 about encryption. Loudness metadata, which neither ffmpeg
    # nor the packager writes, have test-validate-loudness.
    if "loudness" in finding["rule"]: continue
    if "advice" in finding and ("general" in finding["targets"] or finding["rule"].startswith("enc-")):
        seen.add(finding["level"] + " " + finding["rule"])
print("\n".join(sorted(seen)))
PYTHON
}

# found NAME RULES...: requires that exactly these rules (LEVEL:RULE) are violated in NAME/main.m3u8.
found() {
    local name=$1 wanted output
    shift
    selected || return 0
    wanted=$(printf '%s\n' "$@" | tr : ' ' | sort)
    output=$(findings "$name/${PLAYLIST:-main.m3u8}")
    [ "$output" = "$wanted" ] || fail "$name: expected: $wanted -- found: $output -- $(keyway validate "$name/${PLAYLIST:-main.m3u8}" 2>&1)"
    cases=$((cases + 1))
}

# includes NAME RULE: requires that a rule (LEVEL:RULE) is violated in NAME/main.m3u8, among others.
includes() {
    local output
    selected || return 0
    output=$(findings "$1/main.m3u8")
    [[ $'\n'$output$'\n' == *$'\n'"${2/:/ }"$'\n'* ]] || fail "$1: expected $2 -- found: $output"
    cases=$((cases + 1))
}

# fault NAME OF: copies a presentation to put a fault into it.
fault() {
    rm -rf "$1"
    cp -r "$2" "$1"
}

# edit FILE EXPRESSION: changes a playlist, and requires that it changed.
edit() {
    cp "$1" before
    sed -i "$2" "$1"
    ! cmp -s before "$1" || fail "nothing changed in $1: $2"
}

# patch FILE FROM TO: replaces the first occurrence of bytes, in hexadecimal.
patch() {
    "$python" - "$@" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
old, new = (bytes.fromhex(text) for text in sys.argv[2:4])
assert old in data, "the bytes are not in " + sys.argv[1]
open(sys.argv[1], "wb").write(data.replace(old, new, 1))
PYTHON
}

# drop FILE OFFSET COUNT: removes bytes.
drop() {
    "$python" - "$@" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
start, count = int(sys.argv[2]), int(sys.argv[3])
open(sys.argv[1], "wb").write(data[:start] + data[start + count:])
PYTHON
}

# all_findings PLAYLIST: prints the rules that are violated, with those about the text of playlists, and without those of single
# targets except for encryption and those about loudness metadata, one per line: LEVEL RULE.
all_findings() {
    local code=0
    keyway validate "$@" --json >report.json 2>report.log || code=$?
    [ "$code" -le 1 ] || fail "keyway validate $*: exit code $code: $(cat report.log)"
    "$python" -c 'import json
found = json.load(open("report.json"))["findings"]
found = [f for f in found if "loudness" not in f["rule"]]
ours = (f for f in found if "general" in f["targets"] or f["rule"].startswith("enc-"))
for line in sorted({f["level"] + " " + f["rule"] for f in ours}): print(line)'
}

# idea NUMBER FOLDER LEVEL:RULE...: requires that NAME/main.m3u8 violates all of these rules, and no other MUST. `PLAYLIST` replaces
# main.m3u8.
idea() {
    local number=$1 name=$2 playlist=$2/${PLAYLIST:-main.m3u8} output rule others
    shift 2
    selected || return 0
    output=$'\n'$(all_findings "${SITE:+$SITE/}$playlist")$'\n'
    others=$output
    for rule in "$@"; do
        rule=${rule/:/ }
        [[ $output == *$'\n'"$rule"$'\n'* ]] || fail "idea $number, $name: expected $rule -- found:$output"
        others=${others/$'\n'"$rule"$'\n'/$'\n'}
    done
    if [[ $others == *$'\n'must\ * || $others == *$'\n'critical\ * ]]; then
        fail "idea $number, $name: expected only $* -- also found:$others"
    fi
    printf '%-3s %-24s %s\n' "$number" "$name" "$*"
    cases=$((cases + 1))
}

# shift_ranges PLAYLIST NUMBER: adds a number of bytes to the offsets of the byte ranges in a playlist.
shift_ranges() {
    "$python" - "$@" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
text = re.sub(r"(EXT-X-BYTERANGE:\d+@)(\d+)", lambda match: match[1] + str(int(match[2]) + int(sys.argv[2])), text)
open(sys.argv[1], "w").write(text)
PYTHON
}

# insert PLAYLIST NUMBER TEXT: inserts a line before the EXTINF with a number, from 0.
insert() {
    "$python" - "$@" <<'PYTHON'
import sys
lines = open(sys.argv[1]).read().split("\n")
place = [index for index, line in enumerate(lines) if line.startswith("#EXTINF")][int(sys.argv[2])]
open(sys.argv[1], "w").write("\n".join(lines[:place] + [sys.argv[3]] + lines[place:]))
PYTHON
}
