"""Scenes: the YAML that the program writes, read, and YAML for the program to read, written."""

from __future__ import annotations

import json
import math
import pathlib
import re
from typing import Any, Iterator, Mapping

import numpy as np

from ._tables import Error


NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$")
FLOW = re.compile(r'\s*([\[\],]|"[^"]*"|[^\[\],"]+)')


def read_scalar(text: str) -> Any:
    words = {"true": True, "false": False, ".inf": math.inf, "-.inf": -math.inf}
    if text in words:
        return words[text]
    if text == "{}":
        return {}
    if text.startswith('"'):
        return text[1:-1]
    if NUMBER.match(text):
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    return text


def read_flow(text: str) -> Any:
    """A value on one line: a scalar, or lists of them."""
    stack: list[list[Any]] = [[]]
    for token in FLOW.findall(text):
        if token == "[":
            stack.append([])
        elif token == "]":
            done = stack.pop()
            stack[-1].append(done)
        elif token != ",":
            stack[-1].append(read_scalar(token.strip()))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(text)
    return stack[0][0]


def parse_scene(text: str, path: pathlib.Path) -> dict[str, Any]:
    """A resolved scene: mappings and lists by indentation, values on one line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    try:
        scene, rest = read_block(lines, 0)
        if rest or not isinstance(scene, dict):
            raise ValueError(rest)
        return scene
    except (ValueError, IndexError, RecursionError):
        raise Error(f"{path} is not as the program writes it") from None


def read_block(lines: list[str], depth: int) -> tuple[Any, list[str]]:
    """What stands at this depth, and the lines behind it."""
    if lines[0].startswith(" " * depth + "- "):
        items: list[Any] = []
        while lines and lines[0].startswith(" " * depth + "- "):
            first = lines[0][depth + 2 :]
            if KEY.match(first):
                lines[0] = " " * (depth + 2) + first
                item, lines = read_block(lines, depth + 2)
            else:
                item, lines = read_flow(first), lines[1:]
            items.append(item)
        return items, lines
    mapping: dict[str, Any] = {}
    while lines and len(lines[0]) - len(lines[0].lstrip()) == depth:
        match = KEY.match(lines[0][depth:])
        if not match:
            break
        key, value, lines = match[1], match[2], lines[1:]
        if value:
            mapping[key] = read_flow(value)
        elif lines and len(lines[0]) - len(lines[0].lstrip()) > depth:
            mapping[key], lines = read_block(lines, len(lines[0]) - len(lines[0].lstrip()))
        else:
            mapping[key] = None
    return mapping, lines


KEY = re.compile(r"([\w-][\w.-]*):(?: (.*))?$")


def yaml(value: Any) -> str:
    """A value as YAML on one line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return (
            repr(float(value))
            if math.isfinite(value)
            else ".nan"
            if value != value
            else ".inf"
            if value > 0
            else "-.inf"
        )
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{yaml(str(key))}: {yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(yaml(item) for item in value) + "]"
    raise Error(f"a scene has no place for {type(value).__name__}")


def settings(overrides: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """KEY=VALUE for each value of nested dictionaries."""
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            yield from settings(value, f"{above}{key}.")
        else:
            yield f"{above}{key}={yaml(value)}"
