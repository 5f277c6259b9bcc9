"""The commands, options and examples of the executables, from the description that the argument parser generates."""

import json
import re
import shutil
import subprocess

TOOLS = [name for name in ("keyway", "keyway-server", "keyway-origin") if shutil.which(name)]


def subcommands(command):
    return [each for each in command.get("subcommands", []) if each["commandName"] != "help"]


def tree():
    """Returns the commands by name, in the order of the help: `keyway`, `keyway spc`, `keyway spc inspect`."""
    found = {}

    def add(command, path):
        path = f"{path} {command['commandName']}".strip()
        found[path] = command
        for each in subcommands(command):
            add(each, path)

    for tool in TOOLS:
        output = subprocess.run([tool, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
        add(json.loads(output)["command"], "")
    return found


def names(argument):
    """Returns the names of an option with their hyphens."""
    return [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]


def options(command):
    """Returns the options of a command; true for those with a value."""
    return {
        name: argument["kind"] == "option" for argument in command.get("arguments", []) for name in names(argument)
    } | {"--version": False}


def examples(command):
    """Returns the examples in the help of a command: indented lines that begin with the name of an executable, each with the
    lines that a backslash continues it on."""
    text = re.sub(r"\\\n\s*", "", command.get("discussion") or "")
    return [line.strip() for line in text.splitlines() if re.match(r"\s+(keyway|keyway-server|keyway-origin) ", line)]
